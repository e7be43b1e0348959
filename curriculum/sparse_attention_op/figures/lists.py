"""Draws a pattern of kept blocks and the lists that a kernel walks along.

cd curriculum/sparse_attention_op/figures && python lists.py > lists.svg
"""

from __future__ import annotations

from hotloop.core import svg

KEPT = ((0, 2), (1,), (), (0, 3, 5), (4,), (2, 5))
BLOCKS = len(KEPT)
CELL, LEFT, TOP = 30, 60, 40
WIDTH, HEIGHT = 640, TOP + BLOCKS * CELL + 30
ON, OFF, EDGE = svg.BLUE, "#e4e7eb", "#9aa5b1"
LISTS = LEFT + BLOCKS * CELL + 110


def box(x: float, y: float, fill: str, said: str = "", ink: str = "#000") -> str:
    """One cell, with a number in it."""
    drawn = svg.rect(x, y, CELL - 2, CELL - 2, fill=fill, stroke=EDGE)
    return drawn + svg.text(x + CELL / 2 - 1, y + CELL / 2 + 4, said, fill=ink) if said else drawn


def main() -> None:
    """The pattern on the left, counts and columns on the right."""
    parts = [
        svg.text(LEFT + BLOCKS * CELL / 2, 20, "key blocks"),
        svg.text(LISTS + 14, 20, "counts"),
        svg.text(LISTS + 60 + BLOCKS * CELL / 2, 20, "columns"),
    ]
    for row, kept in enumerate(KEPT):
        y = TOP + row * CELL
        parts.append(svg.text(LEFT - 24, y + 19, f"row {row}"))
        for column in range(BLOCKS):
            x = LEFT + column * CELL
            parts.append(box(x, y, ON, str(column), "#fff") if column in kept else box(x, y, OFF))
        parts.append(box(LISTS, y, "#fff", str(len(kept))))
        for place in range(BLOCKS):
            inside, x = place < len(kept), LISTS + 60 + place * CELL
            parts.append(
                box(x, y, ON, str(kept[place]), "#fff") if inside else box(x, y, OFF, "?", EDGE)
            )
    told = "Kept blocks, as a pattern and as lists"
    print(svg.picture(WIDTH, HEIGHT, parts, told, text_anchor="middle"))


if __name__ == "__main__":
    main()
