"""FP8 products: what scales of blocks keep, and an emulated sum of 14 bits, promoted or not.

The sum is emulated: an instruction adds 32 products and its accumulator after all of them were cut
to 14 bits below the largest exponent. DeepSeek-V3's report, section 3.3.2, states about 14 bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BLOCK, BITS, INSTRUCTION, K = 128, 14, 32, 4096


def e4m3(x: Floats) -> Floats:
    """Round to E4M3: 3 bits of fraction, 448 at most, steps of 2^-9 below 2^-6."""
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 2.0**-20))), -6)
    step = 2.0 ** (exponent - 3)
    return np.clip(np.round(x / step) * step, -448, 448)


def quantized(x: Floats, block: int) -> Floats:
    """Round with one scale for each `block` elements of a row, 0 for one scale of all."""
    if not block:
        scale = np.abs(x).max() / 448
        return e4m3(x / scale) * scale
    parts = x.reshape(len(x), -1, block)
    scales = np.abs(parts).max(axis=2, keepdims=True) / 448
    return (e4m3(parts / scales) * scales).reshape(x.shape)


def relative(got: Floats, want: Floats) -> float:
    """Root of the mean squared error, against that of the numbers."""
    return float(np.sqrt(((got - want) ** 2).mean() / (want**2).mean()))


def cut(x: Floats, exponent: Floats) -> Floats:
    """Cut to BITS bits from an exponent down, toward zero."""
    unit = 2.0 ** (exponent - (BITS - 1))
    return np.trunc(x / unit) * unit


def summed(products: Floats, promotion: int) -> Floats:
    """Sum along the last axis as the emulated instruction does, promoted to float32."""
    total = np.zeros(products.shape[0])
    accumulator = np.zeros(products.shape[0])
    for at in range(0, products.shape[1], INSTRUCTION):
        addends = np.column_stack([products[:, at : at + INSTRUCTION], accumulator])
        largest = np.abs(addends).max(axis=1)
        exponent = np.floor(np.log2(np.maximum(largest, 2.0**-60)))
        accumulator = cut(addends, exponent[:, None]).sum(axis=1)
        if (at + INSTRUCTION) % promotion == 0:
            total = (total + accumulator).astype(np.float32).astype(np.float64)
            accumulator = np.zeros_like(accumulator)
    return total + accumulator


def main() -> None:
    """Print errors by scale and by promotion."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((256, 1024))
    print("outlier of one token  one scale  a scale for each 128")
    for outlier in (1, 100, 10_000, 100_000):
        y = x.copy()
        y[0, 5] = outlier
        others = y[1:]
        errors = [relative(quantized(y, block)[1:], others) for block in (0, BLOCK)]
        print(f"{outlier:20,d}  {errors[0]:9.1%}  {errors[1]:20.1%}")
    a, b = e4m3(rng.uniform(0, 4, (512, K))), e4m3(rng.uniform(0, 4, (512, K)))
    want = (a * b).sum(axis=1)
    for name, promotion in (("one accumulator", K), ("promoted each 128", 128)):
        errors_ = np.abs(summed(a * b, promotion) / want - 1)
        print(f"emulated, k = {K}, {name}: {errors_.max():.2%} at most")
    assert (
        np.abs(summed(a * b, K) / want - 1).max() > 5 * np.abs(summed(a * b, 128) / want - 1).max()
    )


if __name__ == "__main__":
    main()
