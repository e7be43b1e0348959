"""Draws which lane has which elements of the fragments of mma.m16n8k16.

cd curriculum/gemm_tensor_cores/figures && python fragments.py > fragments.svg
"""

from __future__ import annotations

from collections.abc import Callable

from hotloop.site.drawing import COLORS, drawing, rectangle, text

Of = Callable[[int, int], tuple[int, int]]
"""Lane and register of the element in a row and a column."""

CELL = 13
LANE = 9
"""The colored one: group 2, second in its group."""


def main() -> None:
    """Print the picture."""
    b_left, d_top = 8 + 16 * CELL + 12, 24
    parts = [text(8, 14, "A, 16 × 16"), text(b_left, 14, "D, 16 × 8")]
    parts += _matrix(8, d_top, 16, 16, _of_a)
    parts += _matrix(b_left, d_top, 16, 8, _of_d)
    top = d_top + 16 * CELL + 26
    parts.append(text(8, top - 8, "B, 16 × 8, drawn transposed: a row is a column of B"))
    parts += _matrix(8, top, 8, 16, _of_b)
    parts.append(text(b_left, top + 18, "A box is two elements", size=10))
    parts.append(text(b_left, top + 32, "of the numbered lane.", size=10))
    parts.append(text(b_left, top + 46, "Lane 9 is colored,", size=10))
    parts.append(text(b_left, top + 60, "register by register.", size=10))
    told = (
        "Lane 9 has columns 2 and 3 and columns 10 and 11 of rows 2 and 10 of A, rows 2, 3, 10 and "
        "11 of column 2 of B, and columns 2 and 3 of rows 2 and 10 of D."
    )
    print("\n".join(drawing(top + 8 * CELL + 8, parts, "Fragments of mma.m16n8k16", told)))


def _of_a(row: int, column: int) -> tuple[int, int]:
    return row % 8 * 4 + column % 8 // 2, row // 8 + column // 8 * 2


def _of_d(row: int, column: int) -> tuple[int, int]:
    return row % 8 * 4 + column // 2, row // 8


def _of_b(column: int, row: int) -> tuple[int, int]:
    return column * 4 + row % 8 // 2, row // 8


def _matrix(left: float, top: float, rows: int, columns: int, of: Of) -> list[str]:
    """A box for the two neighbors that share a register."""
    parts: list[str] = []
    for row in range(rows):
        for column in range(0, columns, 2):
            lane, register = of(row, column)
            x, y = left + column * CELL, top + row * CELL
            fill, css = (COLORS[register], "on") if lane == LANE else ("", "")
            parts.append(rectangle(x, y, 2 * CELL - 2, CELL - 1, fill=fill))
            words = str(lane)
            parts.append(text(x + CELL - 1, y + 10, words, size=10, anchor="middle", css=css))
    return parts


if __name__ == "__main__":
    main()
