"""Draws which numbers of A, B and C a matmul has used after 32 steps, from proofs/loop_order.py.

cd curriculum/tvm_passes/figures && python memory_walk.py > memory_walk.svg
"""

from __future__ import annotations

import runpy
from itertools import islice
from pathlib import Path
from typing import Any

PROOF = Path(__file__).parents[1] / "proofs" / "loop_order.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

STEPS, CELL, SIDE, PANEL, ROW = 32, 4, 34, 180, 182
SHOWN = ["i j k", "i k j", "tiled"]


def text(x: float, y: float, words: str) -> str:
    """Words in the page's own colour."""
    return f'<text x="{x:g}" y="{y:g}" font-size="12" fill="currentColor">{words}</text>'


def rect(x: float, y: float, width: float, height: float, style: str) -> str:
    """A rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {style}/>'


def matrix(name: str, cells: set[tuple[int, int]], left: int, top: int) -> list[str]:
    """The upper left corner of a matrix: lines that were fetched, and in them what was used."""
    size, line = SIDE * CELL, MODEL["LINE"]
    drawn = [rect(left, top, size, size, 'fill="none" stroke="currentColor" stroke-opacity="0.4"')]
    for row, column in sorted({(row, column // line) for row, column in cells}):
        if row < SIDE and column * line + line <= SIDE:
            place = (left + column * line * CELL, top + row * CELL, line * CELL, CELL - 0.6)
            drawn.append(rect(*place, 'fill="#e69f00" fill-opacity="0.45"'))
    for row, column in sorted(cells):
        if row < SIDE and column < SIDE:
            place = (left + column * CELL, top + row * CELL, CELL - 0.6, CELL - 0.6)
            drawn.append(rect(*place, 'fill="#0072b2"'))
    return [*drawn, text(left, top - 4, name)]


def main() -> None:
    """Print the picture."""
    height = len(SHOWN) * ROW + 24
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" '
        'font-family="sans-serif"><title>What three loop orders touch in 32 steps</title>'
    )
    for index, order in enumerate(SHOWN):
        top = index * ROW + 34
        print(text(4, top - 20, f"loops {order}" if order != "tiled" else "tiled; inside i k j"))
        steps = list(islice(MODEL["ORDERS"][order](), STEPS))
        used = [touch for step in steps for touch in MODEL["touched"](step)]
        lines = len({(name, row, column // MODEL["LINE"]) for name, row, column in used})
        for place, name in enumerate("ABC"):
            cells = {(row, column) for which, row, column in used if which == name}
            print("\n".join(matrix(name, cells, 4 + place * PANEL, top)))
        print(text(4 + 3 * PANEL, top + 60, f"{lines} lines"))
    y = height - 16
    for x, fill, words in ((4, "#e69f00", "fetched"), (120, "#0072b2", "used")):
        print(rect(x, y, 12, 12, f'fill="{fill}"') + text(x + 18, y + 10, words))
    print("</svg>")


if __name__ == "__main__":
    main()
