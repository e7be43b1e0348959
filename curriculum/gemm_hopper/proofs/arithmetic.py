"""The arithmetic of the lesson and of the questions: stages, registers, bytes, waves.

Clock and peak are those of NVIDIA's data sheet for the H100 SXM: 989 TFLOP/s in bfloat16 without
sparsity, 132 SMs, 1.83 GHz. Shared memory serves 128 bytes a cycle and SM.
"""

from __future__ import annotations

import math

SMS, CLOCK = 132, 1.83e9
FLOPS = 4096  # a cycle and SM, bfloat16; twice in FP8
SHARED = 128  # bytes a cycle and SM
MOST_SHARED = 227 * 1024
BANDWIDTH = 3.35e12


def rate() -> None:
    """The data sheet's peak as operations a cycle and SM."""
    flops = 989e12 / SMS / CLOCK
    print(f"{flops:.0f} operations a cycle and SM in bfloat16, so 4096; 8192 in FP8")
    assert abs(flops - FLOPS) < 10


def wgmma() -> None:
    """Cycles of one m64nNk16, and of reading its operands from shared memory."""
    print("wgmma m64nNk16   tensor core  a and b from shared  a from registers")
    for n in (64, 128, 256):
        cycles = 2 * 64 * n * 16 / FLOPS
        a, b = 64 * 16 * 2 / SHARED, n * 16 * 2 / SHARED
        print(f"n = {n:3d} {cycles:15.0f} cycles {a + b:10.0f} cycles {b:12.0f} cycles")
    assert 2 * 64 * 64 * 16 / FLOPS == (64 + 64) * 16 * 2 / SHARED == 32


def stages() -> None:
    """Stages that a latency of 1 us needs, by Little's law, and how many fit."""
    for m, n in ((128, 128), (128, 256)):
        step = 2 * m * n * 64 / FLOPS / CLOCK
        needed = math.ceil(1e-6 / step) + 1  # one of them is in use
        stage, result = (m + n) * 64 * 2, m * n * 2
        print(
            f"{m} x {n} x 64: a step takes {step * 1e9:.0f} ns, {needed} stages are needed; "
            f"{MOST_SHARED // stage} of {stage // 1024} KiB fit, "
            f"{(MOST_SHARED - result) // stage} beside the result"
        )
    assert MOST_SHARED // ((128 + 256) * 128) == 4


def registers() -> None:
    """Registers of the sums, and what setmaxnreg moves."""
    for n in (128, 256):
        print(f"64 x {n} sums of a warp group: {64 * n // 128} registers a thread")
    launched, less, more = 168, 40, 232
    print(
        f"384 threads x {launched} = {384 * launched}; 128 x {less} + 256 x {more} = "
        f"{128 * less + 256 * more}, of 65536"
    )
    assert 384 * launched == 128 * less + 256 * more <= 65536


def reuse() -> None:
    """Bytes that a block loads for each step of 64 along k, and what L2 must deliver."""
    for m, n in ((128, 128), (128, 256)):
        cycles = 2 * m * n * 64 / FLOPS
        bytes_ = (m + n) * 64 * 2
        rate_ = bytes_ / cycles * SMS * CLOCK
        print(
            f"tile {m} x {n}: {cycles:.0f} cycles and {bytes_ // 1024} KiB a step, "
            f"{rate_ / 1e12:.1f} TB/s for all SMs"
        )
    alone, shared = (128 + 256) * 128, (128 + 256 // 2) * 128
    print(
        f"two blocks of a cluster share the 256 columns: {alone // 1024} -> "
        f"{shared // 1024} KiB a block and step"
    )
    assert (alone, shared) == (48 * 1024, 32 * 1024)


def waves() -> None:
    """Tiles, waves, and the epilogue of a persistent kernel."""
    for m, n in ((128, 128), (128, 256)):
        tiles = math.ceil(4096 / m) * math.ceil(4096 / n)
        rounds = math.ceil(tiles / SMS)
        print(
            f"4096 x 4096, tiles of {m} x {n}: {tiles} tiles, {tiles / SMS:.2f} waves, "
            f"{tiles / SMS / rounds:.0%} of the SMs busy"
        )
    store = 128 * 256 * 2 / (BANDWIDTH / SMS / CLOCK)
    for k in (4096, 1024):
        products = 2 * 128 * 256 * k / FLOPS
        print(
            f"tile 128 x 256, k = {k}: {products:.0f} cycles of products, {store:.0f} to store the "
            f"result: {store / products:.0%}"
        )


def fp8() -> None:
    """FP8 with scales for each 128 along k: products, and the multiply-adds of the promotion."""
    products = 2 * 128 * 128 * 128 / (2 * FLOPS)
    promoted = 128 * 128 / 128
    print(
        f"tile 128 x 128, k = 128 in FP8: {products:.0f} cycles of products, "
        f"{promoted:.0f} cycles of multiply-adds to promote them, 128 a cycle and SM"
    )
    stage = (128 + 128) * 128
    print(f"a stage of 128 x 128 x 128 in FP8: {stage // 1024} KiB, {MOST_SHARED // stage} fit")
    k, n, m = 7168, 4096, 4096
    scales = 4 * (m * k // 128 + n // 128 * k // 128)
    print(f"scales of {m} x {n} x {k}: {scales / (m * k + n * k):.1%} of the operands' bytes")
    assert (products, promoted) == (512, 128)


def tensor_memory() -> None:
    """Sizes of Blackwell's tensor memory."""
    print(f"tensor memory: 128 lanes x 512 columns x 4 bytes = {128 * 512 * 4 // 1024} KiB")
    print(
        "128 x 256 sums in float32: 256 columns, so two accumulators fit; in registers they are "
        f"{128 * 256 // 128} for each of 128 threads"
    )


def grouped() -> None:
    """Tiles of a grouped product: 8 experts with different numbers of tokens, one with none."""
    tokens = (700, 30, 1, 260, 0, 129, 512, 416)
    tiles = sum(math.ceil(t / 128) for t in tokens)
    print(
        f"{sum(tokens)} tokens of 8 experts in tiles of 128 rows: {tiles} rows of tiles, "
        f"{sum(tokens) / (tiles * 128):.0%} of their rows used; x 32 columns of tiles = "
        f"{tiles * 32} tiles, {tiles * 32 / SMS:.2f} waves"
    )
    read = sum(t > 0 for t in tokens)
    weights = read * 4096 * 7168
    print(
        f"weights of the {read} experts with tokens, 4096 x 7168 in FP8: {weights / 1e6:.0f} MB, "
        f"{weights / BANDWIDTH * 1e6:.0f} us at 3.35 TB/s"
    )
    flops = 2 * sum(tokens) * 4096 * 7168
    print(
        f"products: {flops / (2 * FLOPS * SMS * CLOCK) * 1e6:.0f} us at the FP8 peak; "
        f"with full tiles {2 * tiles * 128 * 4096 * 7168 / (2 * FLOPS * SMS * CLOCK) * 1e6:.0f} us"
    )


def loads() -> None:
    """Instructions that load a tile of 128 x 64 in bfloat16."""
    bytes_ = 128 * 64 * 2
    print(
        f"a tile of 128 x 64: {bytes_ // 1024} KiB, {bytes_ // 16} copies of 16 bytes or 1 of TMA"
    )


def profiles() -> None:
    """The kernels of the profile question: bounds from tiles, stages and a latency of 700 ns."""
    latency = 700e-9
    for name, size, k, n, slots in (
        ("A", 2048, 512, 128, 5),
        ("B", 8192, 8192, 128, 2),
        ("B with four stages", 8192, 8192, 128, 4),
        ("C", 8192, 8192, 256, 4),
    ):
        tiles = size // 128 * (size // n)
        step = 2 * 128 * n * 64 / FLOPS / CLOCK
        refill = (latency + step) / slots
        print(
            f"{name}: {tiles / SMS:.2f} waves, {k // 64} steps of {step * 1e9:.0f} ns; "
            f"a slot is refilled for each step after {refill * 1e9:.0f} ns: "
            f"{min(1, step / refill):.0%}"
        )
    products = 8 * 2 * 128 * 128 * 64 / FLOPS
    store = 128 * 128 * 2 / (BANDWIDTH / SMS / CLOCK)
    fill = latency * CLOCK
    print(
        f"A: {products:.0f} cycles of products, {store:.0f} of storing, {fill:.0f} of filling: "
        f"{products / (products + store):.0%}, {products / (products + store + fill):.0%}"
    )


if __name__ == "__main__":
    rate()
    loads()
    wgmma()
    registers()
    stages()
    reuse()
    waves()
    fp8()
    tensor_memory()
    grouped()
    profiles()
