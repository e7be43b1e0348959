"""Intervals of points, and of rates that were counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hotloop.takehome.intervals import Interval, rate_interval, said, tenths, total


def test_an_interval_has_its_bounds_in_order() -> None:
    with pytest.raises(ValidationError, match="lies below"):
        Interval(low=2, high=1)


def test_what_touches_overlaps() -> None:
    assert Interval(low=1, high=2).overlaps(Interval(low=2, high=3))
    assert not Interval(low=1, high=2).overlaps(Interval(low=2.1, high=3))


def test_a_total_adds_both_bounds() -> None:
    assert total([Interval(low=1, high=2), Interval.exactly(3)]) == Interval(low=4, high=5)


def test_none_of_ten_leaves_much_possible() -> None:
    found = rate_interval(0, 10)
    assert found is not None
    assert found.low == 0
    assert found.high == pytest.approx(0.2775, abs=1e-3)


def test_nothing_tried_has_no_rate() -> None:
    assert rate_interval(0, 0) is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_rate_lies_in_its_interval(counts: tuple[int, int]) -> None:
    hits, trials = counts
    found = rate_interval(hits, trials)
    assert found is not None
    assert 0 <= found.low <= hits / trials <= found.high <= 1


@given(st.floats(0, 100), st.floats(0, 100))
def test_what_is_open_is_shown_as_open_and_no_narrower(one: float, other: float) -> None:
    interval = Interval(low=min(one, other), high=max(one, other))
    low, _, high = said(interval).partition(" to ")
    assert bool(high) == (not interval.settled)
    if high:
        assert float(low) <= interval.low + 1e-9
        assert float(high) >= interval.high - 1e-9
    assert abs(float(low) - interval.low) <= 0.1 + 1e-9


def test_a_score_is_shown_short() -> None:
    assert said(Interval.exactly(62)) == "62"
    assert said(Interval.exactly(62.5)) == "62.5"
    assert said(Interval(low=59.6, high=60.4)) == "59.6 to 60.4"
    assert said(Interval(low=0, high=100)) == "0 to 100"


@given(st.floats(0, 100), st.floats(0, 100))
def test_bounds_in_tenths_are_never_narrower(one: float, other: float) -> None:
    found = Interval(low=min(one, other), high=max(one, other))
    low, high = tenths(found)
    if found.settled:
        assert low == high == round(10 * found.low)
    else:
        assert low / 10 <= found.low + 1e-6
        assert high / 10 >= found.high - 1e-6
