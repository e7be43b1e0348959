"""What padding to a device's tile costs, and where zeros are harmless."""

from __future__ import annotations

import math

import numpy as np


def useful(rows: int, columns: int, tile: tuple[int, int]) -> float:
    """Share of a padded matrix that is the matrix."""
    high, wide = (math.ceil(n / t) * t for n, t in zip((rows, columns), tile, strict=True))
    return rows * columns / (high * wide)


def main() -> None:
    """Shares first, then three operations on a padded matrix."""
    for rows, columns in ((1024, 1024), (1024, 1000), (1024, 130), (1, 1024), (1024, 1)):
        share = useful(rows, columns, (8, 128))
        print(f"{rows:4} x {columns:4} in tiles of 8 x 128: {share:6.1%} of the memory is data")
    assert useful(1024, 130, (8, 128)) < 0.51
    assert useful(1, 1024, (8, 128)) == 1 / 8
    assert useful(1024, 1, (8, 128)) == 1 / 128

    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 6)), rng.normal(size=(6, 4))
    wide, high = np.pad(a, ((0, 0), (0, 2))), np.pad(b, ((0, 2), (0, 0)))
    print("matrix product of padded operands is right:", np.allclose(wide @ high, a @ b))
    assert np.allclose(wide @ high, a @ b)

    def softmax(x: np.ndarray) -> np.ndarray:
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    print("softmax:", np.allclose(softmax(wide)[:, :6], softmax(a)), end="; ")
    masked = np.where(np.arange(8) < 6, wide, -np.inf)
    print("with minus infinity in the padding:", np.allclose(softmax(masked)[:, :6], softmax(a)))
    assert not np.allclose(softmax(wide)[:, :6], softmax(a))
    assert np.allclose(softmax(masked)[:, :6], softmax(a))
    print("mean:", np.allclose(wide.mean(-1), a.mean(-1)))
    assert not np.allclose(wide.mean(-1), a.mean(-1))


if __name__ == "__main__":
    main()
