"""One scale for a whole weight or one for each output channel: what is left of a small channel."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


# --8<-- [start:symmetric]
def rounded(weight: Array, per_channel: bool) -> Array:
    """Through int8 and back, symmetric. weight: [out, in, height, width]."""
    axes = (1, 2, 3) if per_channel else None
    scale = np.abs(weight).max(axis=axes, keepdims=True) / 127
    return np.clip(np.rint(weight / scale), -127, 127) * scale


# --8<-- [end:symmetric]


def errors(weight: Array, per_channel: bool) -> Array:
    """Of each channel: the error's size over the channel's."""
    flat = weight.reshape(len(weight), -1)
    off = rounded(weight, per_channel).reshape(flat.shape) - flat
    return np.linalg.norm(off, axis=1) / np.linalg.norm(flat, axis=1)


def main() -> None:
    """Before and after a batch norm is folded in."""
    generator = np.random.default_rng(0)
    weight = generator.standard_normal((64, 32, 3, 3)).astype(np.float32)
    print(f"as drawn:  per tensor {errors(weight, False).max():.1%}, ", end="")
    print(f"per channel {errors(weight, True).max():.1%}  (worst channel)")
    assert errors(weight, False).max() < 0.02

    # gamma / sqrt(variance) differs from channel to channel: here over two decades.
    factors = 10 ** generator.uniform(-2, 0, (64, 1, 1, 1)).astype(np.float32)
    folded = weight * factors
    ranges = np.abs(folded).max((1, 2, 3))
    print(f"a batch norm folded in: ranges differ {ranges.max() / ranges.min():.0f} times")
    one, each = errors(folded, False), errors(folded, True)
    print(f"then:      per tensor {one.max():.1%}, per channel {each.max():.1%}")
    assert one.max() > 0.3
    assert each.max() < 0.02
    assert one.argmax() == np.linalg.norm(folded.reshape(64, -1), axis=1).argmin()
    print("64 scales instead of one: 256 bytes for 18,432 weights")
    assert weight.size == 18_432


if __name__ == "__main__":
    main()
