"""Draws tensor memory with two accumulators of 128 x 256, and which warp reads which lanes.

cd curriculum/gemm_hopper/figures && python tensor_memory.py > tensor_memory.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

LEFT, WIDE, LANES = 76.0, 276.0, 96.0


def main() -> None:
    """Print the picture."""
    parts = [
        text(LEFT, 14, "column 0", size=10),
        text(LEFT + WIDE, 14, "511", size=10, anchor="end"),
    ]
    for half, color in enumerate((1, 2)):
        parts.append(rectangle(LEFT + half * WIDE / 2, 20, WIDE / 2 - 2, LANES, fill=COLORS[color]))
    for half, words in enumerate(("sums of tile i", "sums of tile i + 1")):
        parts.append(
            text(LEFT + (half + 0.5) * WIDE / 2, 72, words, size=10, anchor="middle", css="on")
        )
    for warp in range(4):
        y = 20 + (warp + 0.5) * LANES / 4 + 4
        parts.append(text(LEFT - 6, y, f"warp {warp}", size=10, anchor="end"))
    notes = (
        "128 lanes × 512 columns × 4 bytes. A warp of a warp group",
        "reads 32 lanes with tcgen05.ld. The epilogue reads one tile's",
        "sums while tcgen05.mma adds to the other's.",
    )
    for number, words in enumerate(notes):
        parts.append(text(8, 136 + 14 * number, words, size=10))
    told = (
        "Tensor memory has 128 lanes and 512 columns of 32 bits. Two accumulators of 128 by 256 in "
        "float32 fill it. Warp 0 reads lanes 0 to 31, warp 3 lanes 96 to 127."
    )
    print("\n".join(drawing(174, parts, "Tensor memory", told)))


if __name__ == "__main__":
    main()
