"""Draws a piece of a row in shared memory, with the halo that a stencil of seven needs.

cd curriculum/first_kernels/figures && python halo.py > halo.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, line, rectangle, text

RADIUS, RESULTS, CELL = 3, 8, 22


def main() -> None:
    """Print the picture: eight results stand for 256."""
    count = RESULTS + 2 * RADIUS
    parts = [text(8, 14, "shared memory: 8 elements, and a halo of 3 on either side")]
    fills = [COLORS[int(not RADIUS <= e < RADIUS + RESULTS)] for e in range(count)]
    parts += [
        rectangle(26 + element * CELL, 24, CELL - 3, 20, fill=fill)
        for element, fill in enumerate(fills)
    ]
    places = (26 + (result + RADIUS) * CELL for result in range(RESULTS))
    parts += [rectangle(x, 96, CELL - 3, 20) for x in places]
    result = 5
    end = 26 + (result + RADIUS) * CELL + 9.5
    starts = (26 + (result + k) * CELL + 9.5 for k in range(2 * RADIUS + 1))
    parts += [line(start, 44, end, 96, "edge") for start in starts]
    parts.append(text(8, 134, "results: each is the mean of seven neighbors"))
    told = (
        "Fourteen elements in shared memory, three of them a halo on either side, above eight "
        "results; lines lead from seven neighbors to one result."
    )
    print("\n".join(drawing(144, parts, "A stencil with its halo", told)))


if __name__ == "__main__":
    main()
