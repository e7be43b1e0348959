"""Indices reach both ends, repeat, and decrease; sorting or removing repeats is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.adversarial.gathers import indices


@pytest.mark.slow
@given(st.integers(0, 1 << 30), st.integers(1, 500), st.integers(8, 64))
def test_indices_are_inside_and_one_repeats(seed: int, size: int, count: int) -> None:
    found = indices(np.random.default_rng(seed), size, count)
    assert len(found) == count
    assert ((found >= 0) & (found < size)).all()
    assert len(np.unique(found)) < count, "who drops repeats has too few"


@pytest.mark.slow
@given(st.integers(0, 1 << 30), st.integers(4, 500))
def test_a_gather_that_sorts_its_indices_is_wrong(seed: int, size: int) -> None:
    found = indices(np.random.default_rng(seed), size, 24)
    assert (found != np.sort(found)).any()
