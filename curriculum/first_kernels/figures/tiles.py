"""Draws the rows of a and columns of b that one tile of a matrix product needs.

cd curriculum/first_kernels/figures && python tiles.py > tiles.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

SIDE = 120


def main() -> None:
    """Print the picture."""
    parts = [
        rectangle(8, 150, SIDE, SIDE),
        rectangle(160, 14, SIDE, SIDE - 8),
        rectangle(160, 150, SIDE, SIDE),
        rectangle(8, 190, SIDE, 32, fill=COLORS[0]),
        rectangle(200, 14, 32, SIDE - 8, fill=COLORS[1]),
        rectangle(200, 190, 32, 32, fill=COLORS[3]),
        rectangle(48, 190, 20, 32, "edge"),
        rectangle(200, 54, 32, 20, "edge"),
        text(12, 164, "a"),
        text(164, 28, "b"),
        text(164, 164, "c"),
        text(8, 286, "64 rows of a, 64 columns of b: each element is used 64 times", size=10),
    ]
    told = (
        "A tile of c needs all of its rows of a and all of its columns of b; a program walks along "
        "them step by step."
    )
    print("\n".join(drawing(296, parts, "One tile of a matrix product", told)))


if __name__ == "__main__":
    main()
