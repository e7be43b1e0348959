"""Draws in which banks a column of a tile lies, without and with a column of padding.

cd curriculum/first_kernels/figures && python banks.py > banks.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

SIDE, CELL = 8, 17


def main() -> None:
    """Print the picture: eight banks stand for 32."""
    parts = [text(8, 14, "tile[8][8]: one bank"), text(190, 14, "tile[8][9]: eight banks")]
    parts += _tile(8, SIDE) + _tile(190, SIDE + 1)
    parts.append(
        text(8, 178, "A cell's number is its bank. A warp reads the colored cells.", size=10)
    )
    told = (
        "In a tile of eight by eight, all elements of column 2 lie in bank 2. In a tile with a "
        "ninth column they lie in eight different banks."
    )
    print("\n".join(drawing(188, parts, "Banks of a column of a tile", told)))


def _tile(left: float, width: int) -> list[str]:
    parts: list[str] = []
    for row in range(SIDE):
        for column in range(width):
            x, y = left + column * CELL, 24 + row * CELL
            fill = COLORS[0] if column == 2 else ""
            parts.append(rectangle(x, y, CELL - 2, CELL - 2, fill=fill))
            bank = str((row * width + column) % SIDE)
            css = "on" if fill else ""
            parts.append(text(x + 7, y + 12, bank, size=10, anchor="middle", css=css))
    return parts


if __name__ == "__main__":
    main()
