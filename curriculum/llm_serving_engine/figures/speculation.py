"""Draws the expected tokens of a pass of the target, by acceptance and number of drafted tokens.

cd curriculum/llm_serving_engine/figures && python speculation.py > speculation.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.drawing import drawing

HERE = Path(__file__).parent
Axes: Any = runpy.run_path(str(HERE / "axes.py"))["Axes"]
expected: Any = runpy.run_path(str(HERE.parent / "proofs" / "speculation.py"))["expected"]


def main() -> None:
    """Print the picture."""
    axes = Axes((0.3, 1.0), (1, 7))
    marks = [0.3, 0.5, 0.7, 0.9]
    parts = axes.drawn(marks, (1, 2, 3, 4, 5, 6), "acceptance per token; upwards: tokens of a pass")
    told = list[str]()
    for number, k in enumerate((2, 4, 8)):
        points = [(a / 100, expected(a / 100, k)) for a in range(30, 96, 5)]
        parts += axes.curve(points, number, f"{k} drafted tokens")
        told.append(f"{k} drafted: {expected(0.5, k):.2f} at 0.5, {expected(0.9, k):.2f} at 0.9")
    print("\n".join(drawing(236, parts, "Tokens of a pass of the target", "; ".join(told) + ".")))


if __name__ == "__main__":
    main()
