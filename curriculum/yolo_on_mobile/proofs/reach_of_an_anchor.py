"""Which sizes a head can say: YOLOv3's exponential and YOLOv5's square of a sigmoid."""

from __future__ import annotations

import numpy as np

STRIDE = 32


def main() -> None:
    """Factor on the anchor, by what the convolution gives."""
    raw = np.array([-8.0, -2.0, 0.0, 2.0, 8.0])
    sigmoid = 1 / (1 + np.exp(-raw))
    print("raw value        ", *(f"{x:8.1f}" for x in raw))
    print("exponential      ", *(f"{x:8.3f}" for x in np.exp(raw)))
    print("(2 sigmoid)²     ", *(f"{x:8.3f}" for x in (2 * sigmoid) ** 2))
    print("2 sigmoid − 0.5  ", *(f"{x:8.3f}" for x in 2 * sigmoid - 0.5))
    many = 1 / (1 + np.exp(-np.linspace(-60, 60, 10_001)))
    assert ((2 * many) ** 2).max() <= 4
    assert (2 * many - 0.5).min() >= -0.5
    assert (2 * many - 0.5).max() <= 1.5
    print("sizes up to 4 anchors, centers up to half a cell outside of their own")
    moved = (many - (2 * many - 0.5)) * STRIDE
    assert abs(moved).max() <= STRIDE / 2
    print(f"v5 weights, v3's center: off by up to {abs(moved).max():.0f} pixels at stride {STRIDE}")


if __name__ == "__main__":
    main()
