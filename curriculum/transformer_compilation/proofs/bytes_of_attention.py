"""Standard attention moves the scores four times; a tiled kernel never stores them."""

from __future__ import annotations

HEADS, WIDTH, ELEMENT, SCORE = 32, 128, 2, 4
BYTES_PER_S, FLOPS_PER_S = 3.35e12, 989e12
"""An H100's, from its data sheet; both are ceilings, and no measurement."""


# --8<-- [start:standard]
def standard(queries: int, keys: int) -> int:
    """Bytes of scores, softmax and output as three kernels, for all heads."""
    rows = HEADS * WIDTH * ELEMENT
    pairs = HEADS * queries * keys
    scores = (queries + keys) * rows + pairs * SCORE
    softmax = pairs * SCORE + pairs * ELEMENT
    output = pairs * ELEMENT + (keys + queries) * rows
    return scores + softmax + output
    # --8<-- [end:standard]


# --8<-- [start:tiled]
def tiled(queries: int, keys: int, block: int) -> int:
    """Bytes of one kernel: keys and values are read once for each block of queries."""
    rows = HEADS * WIDTH * ELEMENT
    blocks = -(-queries // block)
    return 2 * queries * rows + blocks * 2 * keys * rows
    # --8<-- [end:tiled]


def main() -> None:
    """Print bytes and least times."""
    print("32 heads of 128 in 16 bits, scores in 32 bits, no mask")
    for queries, keys in ((512, 512), (4096, 4096), (1, 4096)):
        flops = 4 * HEADS * queries * keys * WIDTH
        moved, one = standard(queries, keys), tiled(queries, keys, 128)
        fewest = 2 * (queries + keys) * HEADS * WIDTH * ELEMENT
        print(
            f"{queries:4} queries, {keys} keys: standard {moved / 2**20:6.0f} MiB, tiled "
            f"{one / 2**20:5.0f}, minimum {fewest / 2**20:4.0f}; "
            f"arithmetic {flops / FLOPS_PER_S * 1e6:6.1f} µs, "
            f"standard's traffic {moved / BYTES_PER_S * 1e6:7.1f} µs"
        )
    assert standard(4096, 4096) > 20 * tiled(4096, 4096, 10**9)
    assert standard(1, 4096) < 1.03 * tiled(1, 4096, 128)
    machine = FLOPS_PER_S / BYTES_PER_S
    print(f"the GPU does {machine:.0f} operations in the time of one byte")
    for block in (16, 64, 128, 256):
        # 4·WIDTH operations a pair; K and V are 2·WIDTH·ELEMENT bytes a key, for `block` queries.
        intensity = 4 * WIDTH * block / (2 * WIDTH * ELEMENT)
        said = "compute-bound" if intensity > machine else "memory-bound without a cache"
        print(f"{block:3} queries per program: {intensity:.0f} FLOP/byte, {said}")
    whole = standard(4096, 4096)
    least = 4 * HEADS * 4096 * 4096 * WIDTH / FLOPS_PER_S
    print(
        f"at 4096, standard's traffic takes {whole / BYTES_PER_S / least:.1f} times its arithmetic"
    )
    assert whole / BYTES_PER_S > 6 * least


if __name__ == "__main__":
    main()
