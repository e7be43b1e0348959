"""Unions of intervals, against sets of integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.engines.trace.intervals import Intervals

Pairs = list[tuple[int, int]]
_PAIRS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=10)


def intervals(pairs: Pairs) -> Intervals:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Intervals(ends[:, 0], ends[:, 1])


def points(pairs: Pairs) -> set[int]:
    return {point for start, end in pairs for point in range(start, end)}


@pytest.mark.slow
@given(_PAIRS)
def test_the_length_of_a_union(pairs: Pairs) -> None:
    union = intervals(pairs)
    assert union.length == len(points(pairs))
    assert (union.starts[1:] > union.ends[:-1]).all()


@pytest.mark.slow
@given(_PAIRS, _PAIRS)
def test_what_two_unions_share(one: Pairs, two: Pairs) -> None:
    assert intervals(one).shared_with(intervals(two)) == len(points(one) & points(two))


@pytest.mark.slow
@given(_PAIRS)
def test_which_times_a_union_holds(pairs: Pairs) -> None:
    held = intervals(pairs).hold(np.arange(45))
    assert set(np.flatnonzero(held).tolist()) == points(pairs)


@pytest.mark.slow
@given(_PAIRS, st.integers(0, 40), st.integers(0, 40))
def test_gaps_are_what_is_left(pairs: Pairs, start: int, end: int) -> None:
    gaps = intervals(pairs).gaps(start, end)
    found = zip(gaps.starts.tolist(), gaps.ends.tolist(), strict=True)
    assert points(list(found)) == set(range(start, end)) - points(pairs)
