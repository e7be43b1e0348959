"""From the 32-bit sum to eight bits without a float: a multiplier, a shift, how often it is off."""

from __future__ import annotations

import math

import numpy as np


# --8<-- [start:fixed]
def fixed_point(real: float, bits: int = 31) -> tuple[int, int]:
    """Real = multiplier / 2^bits / 2^shift, with a multiplier that uses all of its bits."""
    mantissa, exponent = math.frexp(real)
    multiplier = round(mantissa * 2**bits)
    if multiplier == 2**bits:
        return 2 ** (bits - 1), -exponent - 1
    return multiplier, -exponent


def rescale(
    sums: np.ndarray, multiplier: int, shift: int, zero_point: int, bits: int = 31
) -> np.ndarray:
    """Sum times multiplier in 64 bits, a rounding shift, the zero point, and saturation."""
    total = bits + shift
    half = np.int64(1) << np.int64(total - 1)
    scaled = (sums.astype(np.int64) * multiplier + half) >> np.int64(total)
    return np.clip(scaled + zero_point, -128, 127).astype(np.int8)


# --8<-- [end:fixed]


def in_float(sums: np.ndarray, real: float, zero_point: int) -> np.ndarray:
    """What the Q and DQ nodes of a file say."""
    return np.clip(np.rint(sums * real) + zero_point, -128, 127).astype(np.int8)


def main() -> None:
    """Print the multiplier, and differences for several widths."""
    scale_x, scale_w, scale_y = 0.02, 0.005, 0.05
    real = scale_x * scale_w / scale_y
    multiplier, shift = fixed_point(real)
    print(f"{scale_x} × {scale_w} / {scale_y} = {real:.4f} = {multiplier:,} / 2^31 / 2^{shift}")
    assert (multiplier, shift) == (1_099_511_628, 8)
    assert 2**30 <= multiplier < 2**31
    sums = np.arange(-70_000, 70_000, dtype=np.int32)
    for bits in (31, 15, 7):
        narrow, move = fixed_point(real, bits)
        other = rescale(sums, narrow, move, 3, bits) != in_float(sums, real, 3)
        print(f"multiplier of {bits:2} bits: {other.mean():.3%} of sums give another byte")
        off = rescale(sums, narrow, move, 3, bits).astype(int) - in_float(sums, real, 3)
        assert np.abs(off).max() <= 1
    ties = np.array([0.5, 1.5, 2.5, -0.5, -1.5])
    even, up = np.rint(ties), np.floor(ties + 0.5)
    print(f"ties to even {even.tolist()}, half added and shifted {up.tolist()}")
    assert even.tolist() != up.tolist()
    print(f"first sums that saturate: {(127.5 - 3) / real:,.0f} and {(-128.5 - 3) / real:,.0f}")
    bias = 0.37
    stored = round(bias / (scale_x * scale_w))
    print(f"a bias of {bias} is stored as {stored:,} with the scale {scale_x * scale_w:g}: 32 bits")
    assert stored == 3700 > 127


if __name__ == "__main__":
    main()
