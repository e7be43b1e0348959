"""Four bits and their scales: what a weight really takes, and what smaller groups buy."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def effective_bits(bits: int, group: int, scale_bits: int, zero_bits: int) -> float:
    """A scale, and perhaps a zero point, shared by a group."""
    return bits + (scale_bits + zero_bits) / group


# --8<-- [start:groups]
def by_groups(weights: Array, group: int, bits: int) -> Array:
    """Each group with a scale of its own, from its largest value; scales kept in fp16."""
    rows = weights.reshape(-1, group)
    top = np.abs(rows).max(1, keepdims=True)
    scale = (top / (2 ** (bits - 1) - 1)).astype(np.float16).astype(np.float64)
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return (np.clip(np.rint(rows / scale), low, high) * scale).reshape(weights.shape)


# --8<-- [end:groups]


def main() -> None:
    """Normal weights with a few large ones."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((512, 512)) * 0.02
    weights[rng.random(weights.shape) < 0.001] *= 10
    x = rng.standard_normal((64, 512))
    truth = x @ weights.T
    errors: list[float] = []
    for group in (512 * 512, 512, 128, 32):
        kept = by_groups(weights, group, 4)
        error = float(np.linalg.norm(x @ kept.T - truth) / np.linalg.norm(truth))
        errors.append(error)
        told = "the whole" if group > 512 else f"{group}"
        print(
            f"groups of {told:9}: {effective_bits(4, group, 16, 0):.3f} bits, outputs off by "
            f"{error:.1%}"
        )
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 3 * errors[-1]
    print(f"with a zero point of 4 bits, groups of 32: {effective_bits(4, 32, 16, 4):.3f} bits")
    eight = by_groups(weights, 512, 8)
    error = float(np.linalg.norm(x @ eight.T - truth) / np.linalg.norm(truth))
    print(f"8 bits, one scale a row: {effective_bits(8, 512, 16, 0):.3f} bits, off by {error:.1%}")
    assert error < errors[-1]
    packed = np.arange(8, dtype=np.uint8)
    both = packed[0::2] | packed[1::2] << 4
    print(f"two in a byte: {packed.nbytes} bytes become {both.nbytes}")
    assert np.array_equal(np.stack([both & 15, both >> 4], 1).ravel(), packed)


if __name__ == "__main__":
    main()
