"""Draws what uint8 makes of a number under two calibrated ranges, from scale_and_zero_point.py.

cd curriculum/resnet_tensorrt/figures && python two_ranges.py > two_ranges.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core import svg
from hotloop.core.svg import Scale

PROOF = Path(__file__).parents[1] / "proofs" / "scale_and_zero_point.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, SIDE, TOP, LOW, HIGH = 720, 190, 26, -1.0, 5.0
LEVELS = 15
"""Of sixteen instead of 256: steps that can be seen."""
PANELS = [
    ("calibrated on [-1, 2]", -1.0, 2.0),
    ("calibrated on [-1, 5]", -1.0, 5.0),
    ("one outlier at 40", -1.0, 40.0),
]


def seen(x: Any, low: float, high: float) -> Any:
    """Through few levels and back, by the proof's own functions with a scale for fewer steps."""
    scale = (high - low) / LEVELS
    zero_point = round(-low / scale)
    integers = np.clip(np.rint(x / scale) + zero_point, 0, LEVELS).astype(np.uint8)
    return MODEL["dequantize"](integers, scale, zero_point)


def main() -> None:
    """Print the picture."""
    up, parts = Scale(LOW, HIGH, TOP + SIDE, TOP), list[str]()
    x = np.linspace(LOW, HIGH, 601, dtype=np.float32)
    for index, (title, low, high) in enumerate(PANELS):
        left = 14 + index * 240
        across = Scale(LOW, HIGH, left, left + SIDE)
        parts.append(svg.text(left, 14, title))
        parts.append(svg.line(left, TOP + SIDE, left + SIDE, TOP, stroke_opacity=0.35))
        steps = zip(x.tolist(), seen(x, low, high).tolist(), strict=True)
        kept = [(across.at(value), up.at(y)) for value, y in steps if LOW <= y <= HIGH]
        parts.append(svg.polyline(kept, stroke=svg.YELLOW, stroke_width=2))
    words = "across: a value; up: what its integer stands for, with 16 levels so that steps show"
    parts.append(svg.text(14, TOP + SIDE + 20, words, font_size=11))
    print(svg.picture(WIDTH, TOP + SIDE + 30, parts, "A range too small, right, too large"))


if __name__ == "__main__":
    main()
