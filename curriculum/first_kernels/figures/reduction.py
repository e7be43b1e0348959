"""Draws how a program sums a row that is longer than its block.

cd curriculum/first_kernels/figures && python reduction.py > reduction.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, arrow, drawing, rectangle, text

BLOCK, CELL = 5, 22


def main() -> None:
    """Print the picture."""
    parts = [text(8, 14, "a row, in blocks of five")]
    for element in range(15):
        fill = COLORS[element // BLOCK] if element < 13 else ""
        parts.append(rectangle(8 + element * CELL, 22, CELL - 3, 20, fill=fill))
        if element >= 13:
            parts.append(text(18 + element * CELL, 36, "0", size=10, anchor="middle"))
    parts += [arrow(8 + (block * BLOCK + 2.5) * CELL, 44, 173, 84) for block in range(3)]
    parts += [rectangle(118 + lane * CELL, 86, CELL - 3, 20) for lane in range(BLOCK)]
    parts.append(text(234, 100, "one partial sum a lane", size=10))
    parts.append(arrow(173, 108, 173, 138))
    parts.append(rectangle(163, 140, 20, 20, fill=COLORS[3]))
    parts.append(text(196, 154, "tl.sum, once, behind the loop", size=10))
    told = (
        "Three blocks of a row are added, one after the other, to five partial sums, one a lane, "
        "which are summed in the end. Lanes behind the row load 0."
    )
    print("\n".join(drawing(170, parts, "A reduction over a long row", told)))


if __name__ == "__main__":
    main()
