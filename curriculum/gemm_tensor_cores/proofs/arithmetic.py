"""The arithmetic of the lesson and of the questions: reuse, tiles, waves, decode steps."""

from __future__ import annotations

import math

PEAK, BANDWIDTH = 800e12, 4e12
US = 1e-6


def reuse() -> None:
    """Bytes of shared memory for each multiply-add."""
    for name, read, products in (
        ("one element a thread, float32", 2 * 4, 1),
        ("4 x 4 elements, float32", 8 * 4, 16),
        ("8 x 8 elements, float32", 16 * 4, 64),
        ("16 x 16 a warp, bfloat16 fragments", 2 * 16 * 16 * 2, 16 * 16 * 16),
        ("32 x 32 a warp, bfloat16 fragments", 2 * 32 * 16 * 2, 32 * 32 * 16),
    ):
        print(f"{name:36s} {read / products:6.3f} bytes per multiply-add")
    assert 2 * 32 * 16 * 2 / (32 * 32 * 16) == 0.125


def stages() -> None:
    """Shared memory and registers of a block with tiles of 128 x 128 x 64 in bfloat16."""
    stage = 2 * 128 * 64 * 2
    most = 227 * 1024 // stage
    print(f"a stage of 128 x 128 x 64: {stage // 1024} KiB; {most} stages fit into 227 KiB")
    print(f"sums of 128 x 128: {128 * 128 // 256} registers a thread with 256 threads")
    assert (stage, most) == (32768, 7)


def order() -> None:
    """Rows and columns of tiles that 16 programs need."""
    row = {("a", 0) for _ in range(16)} | {("b", i) for i in range(16)}
    square = {("a", i // 4) for i in range(16)} | {("b", i % 4) for i in range(16)}
    print(f"16 programs: {len(row)} strips in a row, {len(square)} in a square")
    assert (len(row), len(square)) == (17, 8)


def waves() -> None:
    """How full the last wave is."""
    for m, n, tile in ((4096, 4096, 128), (4096, 4224, 128), (1024, 1024, 128), (1024, 1024, 64)):
        tiles = math.ceil(m / tile) * math.ceil(n / tile)
        rounds = math.ceil(tiles / 132)
        print(
            f"{m} x {n}, tiles of {tile}: {tiles} tiles, {tiles / 132:.2f} waves, "
            f"efficiency {tiles / 132 / rounds:.0%}"
        )
    assert math.ceil(1024 / 128) ** 2 == 64


def layer() -> None:
    """A weight matrix of 8192 x 8192 with m tokens, in bfloat16 and with weights of four bits."""
    n = 8192
    for name, weights in (("bfloat16", 2 * n * n), ("four bits", n * n / 2 + 2 * n * n / 64)):
        for m in (1, 64, 8192):
            bytes_, flops = weights + 2 * 2 * m * n, 2 * m * n * n
            memory, compute = bytes_ / BANDWIDTH / US, flops / PEAK / US
            limit = "memory" if memory > compute else "compute"
            print(
                f"{name}, {m:4d} tokens: {memory:6.1f} us memory, "
                f"{compute:6.1f} us compute: {limit}"
            )
    even = PEAK / BANDWIDTH / (1 - 2 * PEAK / BANDWIDTH / n)
    print(f"both limits are equal at {even:.0f} tokens")
    assert round(even) == 210


def attention() -> None:
    """A decode step: 32 query heads, 8 kv heads of 128, 8192 tokens."""
    tokens, kv, heads, d = 8192, 8, 32, 128
    cache = 2 * tokens * kv * d * 2
    flops = 2 * 2 * tokens * heads * d
    print(f"cache: {cache / 2**20:.0f} MiB, {cache / BANDWIDTH / US:.1f} us at 4 TB/s")
    print(f"{flops / cache:.0f} operations a byte; without sharing {2 * 2 / (2 * 2):.0f}")
    print(f"one program a kv head: {kv} programs; parts of 512 tokens: {kv * tokens // 512}")
    partial = tokens // 512 * heads * (d + 1) * 4 * 2
    print(f"partial results: {partial / 1024:.0f} KiB written and read, {partial / cache:.1%}")
    assert (flops / cache, kv * tokens // 512) == (4, 128)


if __name__ == "__main__":
    reuse()
    stages()
    order()
    waves()
    layer()
    attention()
