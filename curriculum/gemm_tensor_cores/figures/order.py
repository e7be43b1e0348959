"""Draws the strips of a and b that 16 programs need, in a row of tiles and in a square.

cd curriculum/gemm_tensor_cores/figures && python order.py > order.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

SIDE, CELL = 16, 8


def main() -> None:
    """Print the picture."""
    parts = _grid(8, "a row: 1 + 16 strips", {(0, i) for i in range(16)})
    parts += _grid(188, "a square: 4 + 4 strips", {(i // 4, i % 4) for i in range(16)})
    told = (
        "Sixteen programs that compute a row of tiles need one strip of rows of a and sixteen of "
        "columns of b. As a square of four by four they need four and four."
    )
    print("\n".join(drawing(196, parts, "Strips that 16 programs need", told)))


def _grid(left: float, words: str, tiles: set[tuple[int, int]]) -> list[str]:
    parts = [text(left, 14, words)]
    top, start = 40, left + 14
    for row in range(SIDE):
        fill = COLORS[1] if any(r == row for r, _ in tiles) else ""
        parts.append(rectangle(left, top + row * CELL, 9, CELL - 1, fill=fill))
    for column in range(SIDE):
        fill = COLORS[2] if any(c == column for _, c in tiles) else ""
        parts.append(rectangle(start + column * CELL, 26, CELL - 1, 9, fill=fill))
    for row in range(SIDE):
        for column in range(SIDE):
            fill = COLORS[0] if (row, column) in tiles else ""
            x, y = start + column * CELL, top + row * CELL
            parts.append(rectangle(x, y, CELL - 1, CELL - 1, fill=fill))
    parts.append(text(left, top + SIDE * CELL + 16, "a's rows are left, b's columns above", size=9))
    return parts


if __name__ == "__main__":
    main()
