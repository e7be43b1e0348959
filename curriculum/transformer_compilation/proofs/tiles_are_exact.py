"""Attention by tiles is exact but for rounding; what goes wrong when one factor is forgotten."""

from __future__ import annotations

import numpy as np


# --8<-- [start:step]
def step(
    state: tuple[np.ndarray, np.ndarray, np.ndarray], scores: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One block of keys. The state is maximum, sum and output so far."""
    maximum, total, summed = state
    highest = np.maximum(maximum, scores.max(axis=1, keepdims=True))
    old = np.exp(maximum - highest)
    weights = np.exp(scores - highest)
    total = total * old + weights.sum(axis=1, keepdims=True)
    return highest, total, summed * old + weights @ v
    # --8<-- [end:step]


def begin(rows: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nothing was seen yet."""
    return np.full((rows, 1), -np.inf), np.zeros((rows, 1)), np.zeros((rows, width))


def tiled(scores: np.ndarray, v: np.ndarray, block: int) -> np.ndarray:
    """All blocks in turn."""
    state = begin(len(scores), v.shape[1])
    for start in range(0, len(v), block):
        state = step(state, scores[:, start : start + block], v[start : start + block])
    return state[2] / state[1]


def merged(a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> np.ndarray:
    """Two states, each of half of the keys, as a split over keys has them."""
    highest = np.maximum(a[0], b[0])
    left, right = np.exp(a[0] - highest), np.exp(b[0] - highest)
    return (a[2] * left + b[2] * right) / (a[1] * left + b[1] * right)


def main() -> None:
    """Print errors."""
    rng = np.random.default_rng(1)
    scores, v = 8 * rng.standard_normal((64, 1000)), rng.standard_normal((1000, 32))
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    truth = weights @ v / weights.sum(axis=1, keepdims=True)
    for block in (1, 7, 128, 1000):
        error = np.abs(tiled(scores, v, block) - truth).max()
        assert error < 1e-12
    print("blocks of 1, 7, 128 and 1000 keys: errors below 1e-12 in float64")
    left = step(begin(64, 32), scores[:, :300], v[:300])
    right = step(begin(64, 32), scores[:, 300:], v[300:])
    assert np.abs(merged(left, right) - truth).max() < 1e-12
    print("two halves computed apart and merged: the same")
    maximum, total, summed = begin(64, 32)
    for start in range(0, 1000, 128):
        part = scores[:, start : start + 128]
        highest = np.maximum(maximum, part.max(axis=1, keepdims=True))
        total = total * np.exp(maximum - highest) + np.exp(part - highest).sum(1, keepdims=True)
        summed = summed + np.exp(part - highest) @ v[start : start + 128]  # not rescaled
        maximum = highest
    wrong = np.abs(summed / total - truth).max()
    print(f"the output so far not rescaled: error {wrong:.1f}, where numbers are about 1")
    assert wrong > 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        half = np.exp(scores.astype(np.float16))
    print(f"without a maximum, in float16: {np.isinf(half).mean():.1%} of the weights are infinite")
    assert np.isinf(half).any()


if __name__ == "__main__":
    main()
