"""Draws the chunks of eight rows of 128 bytes, in order and swizzled.

cd curriculum/gemm_tensor_cores/figures && python swizzle.py > swizzle.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

SIDE, CELL = 8, 19
CHUNK = 2
"""The colored one."""


def main() -> None:
    """Print the picture."""
    parts = [text(8, 14, "in order: 8 passes"), text(188, 14, "c XOR (r % 8): 1 pass")]
    parts += _tile(8, swizzled=False) + _tile(188, swizzled=True)
    foot = 24 + SIDE * CELL + 14
    parts.append(
        text(8, foot, "A row has 8 chunks of 16 bytes, 4 banks each. The number is the", size=10)
    )
    parts.append(
        text(
            8,
            foot + 14,
            "chunk that lies there. ldmatrix reads the colored ones at a time.",
            size=10,
        )
    )
    told = (
        "In order, chunk 2 of all eight rows lies in the banks 8 to 11. Swizzled, chunk 2 of row r "
        "lies at place 2 XOR r, so that the eight rows use all 32 banks."
    )
    print("\n".join(drawing(foot + 24, parts, "Banks of a column of chunks", told)))


def _tile(left: float, *, swizzled: bool) -> list[str]:
    parts: list[str] = []
    for row in range(SIDE):
        for place in range(SIDE):
            chunk = place ^ row if swizzled else place
            x, y = left + place * CELL, 24 + row * CELL
            fill = COLORS[0] if chunk == CHUNK else ""
            parts.append(rectangle(x, y, CELL - 2, CELL - 2, fill=fill))
            css = "on" if fill else ""
            parts.append(text(x + 8, y + 12, str(chunk), size=10, anchor="middle", css=css))
    return parts


if __name__ == "__main__":
    main()
