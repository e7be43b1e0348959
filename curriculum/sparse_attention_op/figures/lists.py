"""Draws a pattern of kept blocks and the lists that a kernel walks along.

cd curriculum/sparse_attention_op/figures && python lists.py > lists.svg
"""

from __future__ import annotations

KEPT = ((0, 2), (1,), (), (0, 3, 5), (4,), (2, 5))
BLOCKS = len(KEPT)
CELL, LEFT, TOP = 30, 60, 40
WIDTH, HEIGHT = 640, TOP + BLOCKS * CELL + 30
ON, OFF, EDGE = "#0072b2", "#e4e7eb", "#9aa5b1"
LISTS = LEFT + BLOCKS * CELL + 110


def box(x: float, y: float, fill: str, said: str = "", ink: str = "#000") -> None:
    """One cell, with a number in it."""
    print(
        f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" fill="{fill}" '
        f'stroke="{EDGE}"/>'
    )
    if said:
        text(x + CELL / 2 - 1, y + CELL / 2 + 4, said, ink)


def text(x: float, y: float, said: str, ink: str = "#000") -> None:
    """Centred."""
    print(f'<text x="{x}" y="{y}" font-size="12" text-anchor="middle" fill="{ink}">{said}</text>')


def main() -> None:
    """The pattern on the left, counts and columns on the right."""
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif"><title>Kept blocks, as a pattern and as lists</title>'
    )
    text(LEFT + BLOCKS * CELL / 2, 20, "key blocks")
    text(LISTS + 14, 20, "counts")
    text(LISTS + 60 + BLOCKS * CELL / 2, 20, "columns")
    for row, kept in enumerate(KEPT):
        y = TOP + row * CELL
        text(LEFT - 24, y + 19, f"row {row}")
        for column in range(BLOCKS):
            on = column in kept
            box(LEFT + column * CELL, y, ON if on else OFF, str(column) if on else "", "#fff")
        box(LISTS, y, "#fff", str(len(kept)))
        for place in range(BLOCKS):
            inside = place < len(kept)
            said = str(kept[place]) if inside else "?"
            box(
                LISTS + 60 + place * CELL,
                y,
                ON if inside else OFF,
                said,
                "#fff" if inside else EDGE,
            )
    print("</svg>")


if __name__ == "__main__":
    main()
