"""What eight bits keep: scale, zero point, rounding, saturation, and sums in 32 bits."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


# --8<-- [start:affine]
def parameters(low: float, high: float) -> tuple[float, int]:
    """Scale and zero point of uint8 for values from low to high; zero itself must be exact."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / 255
    return scale, round(-low / scale)


def quantize(x: Array, scale: float, zero_point: int) -> np.ndarray:
    """Round half to even, as ONNX says, and saturate."""
    return np.clip(np.rint(x / scale) + zero_point, 0, 255).astype(np.uint8)


def dequantize(q: np.ndarray, scale: float, zero_point: int) -> Array:
    """The real number that an integer stands for."""
    return (q.astype(np.float32) - zero_point) * np.float32(scale)


# --8<-- [end:affine]


def main() -> None:
    """Errors within the range and beyond it."""
    x = np.linspace(-1, 3, 2001, dtype=np.float32)
    scale, zero_point = parameters(-1, 3)
    error = np.abs(dequantize(quantize(x, scale, zero_point), scale, zero_point) - x)
    print(f"range [-1, 3]: scale {scale:.5f}, zero point {zero_point}, error {error.max():.5f}")
    assert error.max() <= scale, "half a step by rounding, and the zero point was rounded too"
    assert np.median(error) <= scale / 2
    zero = np.zeros(1, np.float32)
    assert dequantize(quantize(zero, scale, zero_point), scale, zero_point)[0] == 0.0

    relu_scale, relu_zero = parameters(0, 6)
    print(f"after a ReLU, range [0, 6]: zero point {relu_zero}, scale {relu_scale:.5f}")
    assert relu_zero == 0
    symmetric = 6 / 127
    print(f"the same symmetric in int8: scale {symmetric:.5f}, and half of the values unused")
    assert symmetric > 1.99 * relu_scale

    outside = np.array([3.0, 4.0, 12.0], np.float32)
    kept = dequantize(quantize(outside, scale, zero_point), scale, zero_point)
    print(f"beyond the range: {outside.tolist()} become {np.round(kept, 2).tolist()}")
    assert np.allclose(kept, 3.0, atol=scale)

    outlier, _ = parameters(0, 600)
    small = np.float32(0.9)
    lost = dequantize(quantize(np.array([small]), outlier, 0), outlier, 0)[0]
    print(f"range [0, 600] because of one outlier: scale {outlier:.2f}, 0.9 becomes {lost:.2f}")
    assert lost == 0.0

    # A sum over the 2048 inputs of the last layer, in the worst case.
    worst = 255 * 127 * 2048
    print(f"255 × 127 × 2048 = {worst:,}: fits in int32, overflows int16 at the second term")
    assert worst < 2**31
    assert 2 * 255 * 127 > 2**15
    half = np.rint(np.array([0.5, 1.5, 2.5]))
    assert half.tolist() == [0, 2, 2], "half to even"


if __name__ == "__main__":
    main()
