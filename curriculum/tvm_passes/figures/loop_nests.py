"""Draws the loop nest of a matmul before and after it is scheduled, as TVM has it.

cd curriculum/tvm_passes/figures && python loop_nests.py > loop_nests.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import tvm
from tvm import s_tir

PROOF = Path(__file__).parents[1] / "proofs" / "schedule_keeps_meaning.py"
MODEL: dict[str, Any] = runpy.run_path(str(PROOF))

WIDTH, COLUMN, ROW, INDENT, BAR = 720, 240, 26, 13, 18
SHOWN = {
    "naive": "before",
    "reorder": "split and reorder",
    "unroll": "cache_write, vectorize, parallel, unroll",
}
COLOURS = {
    "serial": "#999999",
    "parallel": "#d55e00",
    "vectorized": "#0072b2",
    "unrolled": "#009e73",
}
KINDS = list(COLOURS)

Loop = tuple[str, int, str]


def loops(sch: s_tir.Schedule) -> list[Loop]:
    """Name, iterations and kind of the loops around block C, outer ones first."""
    found = [sch.get(loop) for loop in sch.get_loops(sch.get_sblock("C"))]
    return [(loop.loop_var.name.replace("_", ""), int(loop.extent), kind(loop)) for loop in found]


def kind(loop: tvm.tirx.For) -> str:
    """As the legend calls it."""
    return {0: "serial", 1: "parallel", 2: "vectorized", 3: "unrolled"}[int(loop.kind)]


def text(x: float, y: float, words: str, size: int = 12, fill: str = "currentColor") -> str:
    """Words, in the page's own colour if no other is given."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}">{words}</text>'


def nest(title: str, found: list[Loop], left: int) -> list[str]:
    """One column: a bar for each loop, the deeper the further to the right."""
    drawn = [text(left, 14, title, 11)]
    for depth, (name, extent, how) in enumerate(found):
        x, y = left + depth * INDENT, 26 + depth * ROW
        width = COLUMN - 24 - depth * INDENT
        drawn.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{BAR}" rx="3" fill="{COLOURS[how]}">'
            f"<title>{name}: {extent} iterations, {how}</title></rect>"
        )
        drawn.append(text(x + 6, y + 13, f"{name}: {extent}", fill="#ffffff"))
    x, y = left + len(found) * INDENT, 26 + len(found) * ROW
    drawn.append(text(x, y + 13, "C += A · B"))
    return drawn


def main() -> None:
    """Print the picture."""
    sch = s_tir.Schedule(MODEL["matmul"](512))
    columns = [(SHOWN[done], loops(sch)) for done in MODEL["steps"](sch) if done in SHOWN]
    height = 26 + 7 * ROW + 34
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="sans-serif"><title>Loops around a matmul before and after scheduling</title>'
    )
    for index, (title, found) in enumerate(columns):
        print("\n".join(nest(title, found, index * COLUMN)))
    for index, how in enumerate(KINDS):
        x, y = 4 + index * 120, height - 18
        print(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{COLOURS[how]}"/>')
        print(text(x + 18, y + 10, how))
    print("</svg>")


if __name__ == "__main__":
    main()
