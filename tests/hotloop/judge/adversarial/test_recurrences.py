"""An error in a recurrence over blocks shows in some row, for every block size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.adversarial import recurrences

SEEDS = st.integers(0, 1 << 30)
BLOCKS = (64, 256, 1024)


def online(x: np.ndarray, block: int, *, rescaled: bool) -> np.ndarray:
    """Return the log-sum-exp of one row, by the online recurrence."""
    maximum, total = -np.inf, 0.0
    for start in range(0, len(x), block):
        part = x[start : start + block]
        larger = max(maximum, part.max())
        if np.isneginf(larger):
            continue
        total = total * (np.exp(maximum - larger) if rescaled else 1.0)
        total += np.exp(part - larger).sum()
        maximum = larger
    return np.log(total) + maximum


@pytest.mark.slow
@given(SEEDS, st.sampled_from(BLOCKS), st.integers(3000, 9000))
def test_a_missing_rescale_shows_in_stairs(seed: int, block: int, columns: int) -> None:
    x = recurrences.staircases(np.random.default_rng(seed), columns, 3.0)
    right = np.array([online(row, block, rescaled=True) for row in x])
    wrong = np.array([online(row, block, rescaled=False) for row in x])
    want = np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)) + x.max(1)
    assert right == pytest.approx(want, abs=1e-9)
    assert (np.abs(wrong - want) > 0.1).sum() >= 4


@pytest.mark.slow
@given(SEEDS, st.integers(2, 3000))
def test_rows_that_start_late_keep_an_element(seed: int, columns: int) -> None:
    x = recurrences.late_starts(np.random.default_rng(seed), columns, -np.inf)
    assert np.isfinite(x).any(axis=1).all()


def test_rows_begin_and_end_with_whole_blocks_of_nothing() -> None:
    x = recurrences.late_starts(np.random.default_rng(2), 9000, -np.inf)
    blocks = np.isneginf(x[:, :8192].reshape(len(x), 8, 1024)).all(axis=2)
    assert blocks[:, 0].any()
    assert blocks[:, -1].any()
