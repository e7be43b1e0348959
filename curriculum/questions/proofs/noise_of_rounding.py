"""Quantization as noise: six decibels a bit, if the range is right; and which range that is."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


# --8<-- [start:quantize]
def quantized(x: Array, limit: float, bits: int) -> Array:
    """Symmetric, clipped at ± limit."""
    step = limit / (2 ** (bits - 1) - 1)
    return np.clip(np.rint(x / step), -(2 ** (bits - 1)) + 1, 2 ** (bits - 1) - 1) * step


def decibels(x: Array, y: Array) -> float:
    """Power of the signal over power of the error."""
    return float(10 * np.log10(np.mean(x**2) / np.mean((x - y) ** 2)))


# --8<-- [end:quantize]


def best_limit(x: Array, bits: int) -> float:
    """The clipping that loses least, tried in steps."""
    top = float(np.abs(x).max())
    limits = np.linspace(0.02, 1, 99) * top
    return float(max(limits, key=lambda limit: decibels(x, quantized(x, limit, bits))))


def main() -> None:
    """Uniform, normal and long-tailed values."""
    rng = np.random.default_rng(0)
    n = 100_000
    uniform = rng.uniform(-1, 1, n)
    for bits in (4, 6, 8):
        found = decibels(uniform, quantized(uniform, 1, bits))
        print(
            f"uniform, {bits} bits: {found:.1f} dB; 20 log10(2^{bits} - 1) is "
            f"{20 * np.log10(2**bits - 1):.1f}"
        )
        assert abs(found - 20 * np.log10(2**bits - 2)) < 0.3
    step = 2 / 254
    error = uniform - quantized(uniform, 1, 8)
    print(
        f"root mean square of the error over the step: {error.std() / step:.4f}, 1/√12 = "
        f"{12**-0.5:.4f}"
    )
    assert abs(error.std() / step - 12**-0.5) < 0.005

    values = {"normal": rng.standard_normal(n), "long tail": rng.standard_t(3, n)}
    for name, x in values.items():
        top = float(np.abs(x).max())
        rules = {
            "largest value": top,
            "99.9 percentile": float(np.quantile(np.abs(x), 0.999)),
            "least error": best_limit(x, 8),
        }
        for rule, limit in rules.items():
            y = quantized(x, limit, 8)
            cut = np.mean(np.abs(x) > limit)
            print(f"{name}, 8 bits, {rule:15}: {decibels(x, y):5.1f} dB, {cut:.2%} cut")
        assert decibels(x, quantized(x, rules["least error"], 8)) > decibels(
            x, quantized(x, top, 8)
        )
    tail = values["long tail"]
    gain = [
        decibels(tail, quantized(tail, best_limit(tail, bits), bits))
        - decibels(tail, quantized(tail, float(np.abs(tail).max()), bits))
        for bits in (8, 4)
    ]
    print(f"long tail: clipping wins {gain[0]:.1f} dB with 8 bits, {gain[1]:.1f} with 4")
    assert gain[1] > gain[0]


if __name__ == "__main__":
    main()
