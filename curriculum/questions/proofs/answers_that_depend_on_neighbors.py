"""A kernel that splits its sums by the size of the batch gives a request other bits in a batch."""

from __future__ import annotations

import numpy as np


def row_times_matrix(row: np.ndarray, matrix: np.ndarray, splits: int) -> np.ndarray:
    """Sums in float32 over `splits` parts: one by one within a part, the parts at the end."""
    total = np.zeros(matrix.shape[1], dtype=np.float32)
    for part in np.array_split(np.arange(len(row)), splits):
        inner = np.zeros(matrix.shape[1], dtype=np.float32)
        for k in part:
            inner += row[k] * matrix[k]
        total += inner
    return total


def splits_for(batch: int) -> int:
    """A small batch has few output tiles, so a library splits the sum to fill the device."""
    return 8 if batch < 16 else 1


def main() -> None:
    """One request alone and in a batch, with both rules."""
    rng = np.random.default_rng(0)
    row = rng.normal(size=512).astype(np.float32)
    matrix = rng.normal(size=(512, 4000)).astype(np.float32)
    alone = row_times_matrix(row, matrix, splits_for(1))
    crowd = row_times_matrix(row, matrix, splits_for(64))
    differ = np.mean(alone != crowd)
    exact = row.astype(np.float64) @ matrix.astype(np.float64)
    errors = [float(np.abs(y - exact).max()) for y in (alone, crowd)]
    print(f"other bits in {differ:.0%} of the outputs; both within {max(errors):.0e} of the truth")
    assert differ > 0.5
    assert max(errors) < 1e-4

    again = row_times_matrix(row, matrix, splits_for(1))
    print("run again alone: equal bits:", np.array_equal(alone, again))
    assert np.array_equal(alone, again), "deterministic, and still not the same in a batch"

    # The leading token among those whose bits differ, and a rival whose score lies in between.
    leader = int(np.argmax(np.where(alone != crowd, alone, -np.inf)))
    scores = alone[leader], crowd[leader]
    rival = np.nextafter(min(scores), np.float32(np.inf))
    chosen = ["leader" if score >= rival else "rival" for score in scores]
    print(f"a near tie: alone the {chosen[0]} is chosen, in a batch the {chosen[1]}")
    assert chosen[0] != chosen[1]

    fixed = [row_times_matrix(row, matrix, 8) for _ in ("alone", "in a batch of 64")]
    print("the same split for every batch: equal bits:", np.array_equal(*fixed))
    assert np.array_equal(*fixed)


if __name__ == "__main__":
    main()
