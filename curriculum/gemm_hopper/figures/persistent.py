"""Draws a block for each tile, a persistent block, and two consumer groups that take turns.

cd curriculum/gemm_hopper/figures && python persistent.py > persistent.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

FILL, MAIN, STORE, HEIGHT, LEFT = 20.0, 62.0, 24.0, 18.0, 8.0
COPIES, PRODUCTS, RESULT = 0, 2, 1


def main() -> None:
    """Print the picture."""
    parts = [text(LEFT, 14, "a block for each tile")]
    x = LEFT
    for tile in range(3):
        parts += _box(x, 22, FILL, "", COPIES)
        parts += _box(x + FILL, 22, MAIN, f"tile {tile}", PRODUCTS)
        parts += _box(x + FILL + MAIN, 22, STORE, "", RESULT)
        x += FILL + MAIN + STORE + 6
    parts.append(text(LEFT, 64, "persistent: the next tile is loaded during the epilogue"))
    parts += _box(LEFT, 72, FILL, "", COPIES)
    x = LEFT + FILL
    for tile in range(3):
        parts += _box(x, 72, MAIN, f"tile {tile}", PRODUCTS)
        parts += _box(x + MAIN, 72, STORE, "", RESULT)
        parts += _box(x + MAIN, 92, STORE, "", COPIES)
        x += MAIN + STORE
    parts.append(text(LEFT, 134, "ping-pong: two groups, each with a tile of its own"))
    parts += _box(LEFT, 142, FILL, "", COPIES)
    x = LEFT + FILL
    for tile in range(5):
        y = 142 + 20 * (tile % 2)
        parts += _box(x, y, MAIN, f"tile {tile}", PRODUCTS)
        if tile < 4:
            parts += _box(x + MAIN, y, STORE, "", RESULT)
        x += MAIN
    parts.append(
        text(LEFT, 204, "The first copies of a tile are orange, products are green,", size=10)
    )
    parts.append(text(LEFT, 218, "epilogue and store are blue. Lengths are not to scale.", size=10))
    told = (
        "With a block for each tile, filling the pipeline and storing the result are not "
        "overlapped. A persistent block loads the next tile during the epilogue. With two consumer "
        "groups in turns, one multiplies while the other stores."
    )
    print("\n".join(drawing(226, parts, "Three schedules", told)))


def _box(x: float, y: float, width: float, words: str, color: int) -> list[str]:
    parts = [rectangle(x, y, width - 1, HEIGHT, fill=COLORS[color])]
    if words:
        parts.append(text(x + width / 2, y + 13, words, size=10, anchor="middle", css="on"))
    return parts


if __name__ == "__main__":
    main()
