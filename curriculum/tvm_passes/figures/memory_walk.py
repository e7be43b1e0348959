"""Draws which numbers of A, B and C a matmul has used after 32 steps, from proofs/loop_order.py.

cd curriculum/tvm_passes/figures && python memory_walk.py > memory_walk.svg
"""

from __future__ import annotations

import runpy
from itertools import islice
from pathlib import Path
from typing import Any

from hotloop.core import svg

PROOF = Path(__file__).parents[1] / "proofs" / "loop_order.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

STEPS, CELL, SIDE, PANEL, ROW = 32, 4, 34, 180, 182
SHOWN = ["i j k", "i k j", "tiled"]


def matrix(name: str, cells: set[tuple[int, int]], left: int, top: int) -> list[str]:
    """The upper left corner of a matrix: lines that were fetched, and in them what was used."""
    size, line = SIDE * CELL, MODEL["LINE"]
    frame = {"fill": "none", "stroke": svg.PAGE, "stroke_opacity": 0.4}
    drawn = [svg.rect(left, top, size, size, **frame)]
    for row, column in sorted({(row, column // line) for row, column in cells}):
        if row < SIDE and column * line + line <= SIDE:
            place = (left + column * line * CELL, top + row * CELL, line * CELL, CELL - 0.6)
            drawn.append(svg.rect(*place, fill=svg.YELLOW, fill_opacity=0.45))
    for row, column in sorted(cells):
        if row < SIDE and column < SIDE:
            place = (left + column * CELL, top + row * CELL, CELL - 0.6, CELL - 0.6)
            drawn.append(svg.rect(*place, fill=svg.BLUE))
    return [*drawn, svg.text(left, top - 4, name)]


def main() -> None:
    """Print the picture."""
    height = len(SHOWN) * ROW + 24
    parts: list[str] = []
    for index, order in enumerate(SHOWN):
        top = index * ROW + 34
        title = f"loops {order}" if order != "tiled" else "tiled; inside i k j"
        parts.append(svg.text(4, top - 20, title))
        steps = list(islice(MODEL["ORDERS"][order](), STEPS))
        used = [touch for step in steps for touch in MODEL["touched"](step)]
        lines = len({(name, row, column // MODEL["LINE"]) for name, row, column in used})
        for place, name in enumerate("ABC"):
            cells = {(row, column) for which, row, column in used if which == name}
            parts += matrix(name, cells, 4 + place * PANEL, top)
        parts.append(svg.text(4 + 3 * PANEL, top + 60, f"{lines} lines"))
    parts.append(svg.key(4, height - 16, "fetched", svg.YELLOW))
    parts.append(svg.key(120, height - 16, "used", svg.BLUE))
    print(svg.picture(720, height, parts, "What three loop orders touch in 32 steps"))


if __name__ == "__main__":
    main()
