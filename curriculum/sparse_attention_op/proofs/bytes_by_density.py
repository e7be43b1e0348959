"""Bytes that attention fetches with a mask over everything, and with lists of kept blocks."""

from __future__ import annotations

LENGTH, DEPTH, BLOCK, BYTES = 8192, 64, 64, 2
BLOCKS = LENGTH // BLOCK
TENSOR = LENGTH * DEPTH * BYTES


def masked_scores() -> int:
    """Written down: scores, mask and shares go through memory, whatever the mask says."""
    return 4 * TENSOR + 4 * LENGTH * LENGTH * BYTES + LENGTH * LENGTH


def masked_blocks() -> int:
    """Block by block, each key block fetched by each query block, then masked."""
    return 2 * TENSOR + BLOCKS * 2 * TENSOR + BLOCKS * BLOCKS


def listed_blocks(density: float) -> int:
    """Block by block, listed key blocks only; four bytes for each place in a list."""
    kept = round(density * BLOCKS * BLOCKS)
    return 2 * TENSOR + kept * (2 * BLOCK * DEPTH * BYTES + 4) + 4 * BLOCKS


def main() -> None:
    """For some densities, in MiB of one head."""
    print(f"one head, {LENGTH} tokens of {DEPTH}, blocks of {BLOCK}, float16, MiB read")
    print(f"scores in memory, masked        {masked_scores() / 2**20:8.1f} at any density")
    print(f"block by block, masked          {masked_blocks() / 2**20:8.1f} at any density")
    for density in (1.0, 0.5, 0.25, 0.12, 0.05):
        share = listed_blocks(density) / masked_blocks()
        print(
            f"block by block, list,   {density:5.0%}   {listed_blocks(density) / 2**20:8.1f}"
            f"   {share:.2f} of masked"
        )
    assert listed_blocks(0.12) < 0.15 * masked_blocks()
    assert listed_blocks(1.0) > masked_blocks() - BLOCKS * BLOCKS


if __name__ == "__main__":
    main()
