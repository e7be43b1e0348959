"""Draws the loop nest of a matmul before and after it is scheduled, as TVM has it.

cd curriculum/tvm_passes/figures && python loop_nests.py > loop_nests.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import tvm
from tvm import s_tir

from hotloop.core import svg

PROOF = Path(__file__).parents[1] / "proofs" / "schedule_keeps_meaning.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, COLUMN, ROW, INDENT, BAR = 720, 240, 26, 13, 18
SHOWN = {
    "naive": "before",
    "reorder": "split and reorder",
    "unroll": "cache_write, vectorize, parallel, unroll",
}
COLORS = {
    "serial": svg.GRAY,
    "parallel": svg.ORANGE,
    "vectorized": svg.BLUE,
    "unrolled": svg.GREEN,
}

Loop = tuple[str, int, str]


def loops(sch: s_tir.Schedule) -> list[Loop]:
    """Name, iterations and kind of the loops around block C, outer ones first."""
    found = [sch.get(loop) for loop in sch.get_loops(sch.get_sblock("C"))]
    return [(loop.loop_var.name.replace("_", ""), int(loop.extent), kind(loop)) for loop in found]


def kind(loop: tvm.tirx.For) -> str:
    """As the legend calls it."""
    return {0: "serial", 1: "parallel", 2: "vectorized", 3: "unrolled"}[int(loop.kind)]


def nest(title: str, found: list[Loop], left: int) -> list[str]:
    """One column: a bar for each loop, the deeper the further to the right."""
    drawn = [svg.text(left, 14, title, font_size=11)]
    for depth, (name, extent, how) in enumerate(found):
        x, y = left + depth * INDENT, 26 + depth * ROW
        width = COLUMN - 24 - depth * INDENT
        title = f"{name}: {extent} iterations, {how}"
        drawn.append(svg.rect(x, y, width, BAR, rx=3, fill=COLORS[how], title=title))
        drawn.append(svg.text(x + 6, y + 13, f"{name}: {extent}", fill="#ffffff"))
    x, y = left + len(found) * INDENT, 26 + len(found) * ROW
    drawn.append(svg.text(x, y + 13, "C += A · B"))
    return drawn


def main() -> None:
    """Print the picture."""
    sch = s_tir.Schedule(MODEL["matmul"](512))
    columns = [(SHOWN[done], loops(sch)) for done in MODEL["steps"](sch) if done in SHOWN]
    height = 26 + 7 * ROW + 34
    parts: list[str] = []
    for index, (title, found) in enumerate(columns):
        parts += nest(title, found, index * COLUMN)
    for index, (how, color) in enumerate(COLORS.items()):
        parts.append(svg.key(4 + index * 120, height - 18, how, color))
    print(svg.picture(WIDTH, height, parts, "Loops around a matmul before and after scheduling"))


if __name__ == "__main__":
    main()
