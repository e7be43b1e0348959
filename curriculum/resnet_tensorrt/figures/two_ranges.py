"""Draws what uint8 makes of a number under two calibrated ranges, from scale_and_zero_point.py.

cd curriculum/resnet_tensorrt/figures && python two_ranges.py > two_ranges.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

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


def place(x: float, y: float, left: float) -> str:
    """A point of the panel."""
    across = left + (x - LOW) / (HIGH - LOW) * SIDE
    return f"{across:.1f},{TOP + SIDE - (y - LOW) / (HIGH - LOW) * SIDE:.1f}"


def curve(points: list[tuple[float, float]], left: float, style: str) -> str:
    """A line through points."""
    joined = " ".join(place(x, y, left) for x, y in points)
    return f'<polyline points="{joined}" fill="none" {style}/>'


def main() -> None:
    """Print the picture."""
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + SIDE + 30}" '
        'role="img" font-family="sans-serif"><title>A range too small, right, too large</title>'
    )
    x = np.linspace(LOW, HIGH, 601, dtype=np.float32)
    for index, (title, low, high) in enumerate(PANELS):
        left = 14 + index * 240
        print(f'<text x="{left}" y="14" font-size="12" fill="currentColor">{title}</text>')
        exact = [(LOW, LOW), (HIGH, HIGH)]
        print(curve(exact, left, 'stroke="currentColor" stroke-opacity="0.35"'))
        steps = list(zip(x.tolist(), seen(x, low, high).tolist(), strict=True))
        kept = [point for point in steps if LOW <= point[1] <= HIGH]
        print(curve(kept, left, 'stroke="#e69f00" stroke-width="2"'))
    y = TOP + SIDE + 20
    print(
        f'<text x="14" y="{y}" font-size="11" fill="currentColor">across: a value; up: what its '
        "integer stands for, with 16 levels so that steps can be seen</text>"
    )
    print("</svg>")


if __name__ == "__main__":
    main()
