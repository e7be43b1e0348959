"""Intervals of points, and of counted rates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.core.intervals import (
    Interval,
    highest_rate,
    median_interval,
    rate_interval,
    said,
    tenths,
    total,
)
from hotloop.takehome.report_page import said_points


def test_an_interval_has_its_bounds_in_order() -> None:
    with pytest.raises(ValueError, match="lies below"):
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


@pytest.mark.slow
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_rate_lies_in_its_interval(counts: tuple[int, int]) -> None:
    hits, trials = counts
    found = rate_interval(hits, trials)
    assert found is not None
    assert 0 <= found.low <= hits / trials <= found.high <= 1


@pytest.mark.slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_mean_of_shares_lies_in_its_interval(shares: list[float]) -> None:
    found = rate_interval(sum(shares), len(shares))
    assert found is not None
    assert 0 <= found.low <= sum(shares) / len(shares) + 1e-9
    assert sum(shares) / len(shares) - 1e-9 <= found.high <= 1


@pytest.mark.parametrize("candidates", [3, 5, 10, 44])
def test_the_interval_of_a_mean_holds_for_few(candidates: int) -> None:
    """Coverage for all true means; distributions on the two extremes are the worst case."""
    truths = [(number + 0.5) / 200 for number in range(200)]
    held = 0.0
    for passed in range(candidates + 1):
        found = rate_interval(float(passed), candidates)
        assert found is not None
        held += sum(
            math.comb(candidates, passed) * p**passed * (1 - p) ** (candidates - passed)
            for p in truths
            if found.low <= p <= found.high
        )
    assert held / len(truths) > 0.945


@pytest.mark.slow
def test_a_median_lies_between_values_that_were_seen() -> None:
    assert median_interval([]) is None
    assert median_interval([5, 1, 3, 2, 4]) is None
    assert median_interval([6, 5, 1, 3, 2, 4]) == Interval(low=1, high=6)
    # As in published tables: the 6th and the 15th of 20.
    assert median_interval(range(1, 21)) == Interval(low=6, high=15)
    assert median_interval(range(3000)) is not None


@given(st.floats(0, 100), st.floats(0, 100))
def test_what_is_open_is_shown_as_open_and_no_narrower(one: float, other: float) -> None:
    interval = Interval(low=min(one, other), high=max(one, other))
    low, _, high = said(interval).partition(" to ")
    assert bool(high) == (not interval.settled)
    if high:
        assert float(low) <= interval.low + 1e-9
        assert float(high) >= interval.high - 1e-9
    assert abs(float(low) - interval.low) <= 0.1 + 1e-9


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (6.96, 7.04, "6.9 to 7.1 of 10"),
        (7, 7, "7 of 10"),
        (0, 6.25, "0 to 6.3 of 10"),
        (2.5, 10, "2.5 to 10 of 10"),
    ],
)
def test_points_are_shown_as_a_score_is(low: float, high: float, shown: str) -> None:
    interval = Interval(low=low, high=high)
    assert said_points(interval, 10) == shown == f"{said(interval)} of 10"


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


@pytest.mark.parametrize(
    ("hits", "trials", "bound"),
    [
        (0, 100, 1 - 0.05 ** (1 / 100)),
        (0, 0, 1),
        (3, 3, 1),
        (1, 2, math.sqrt(0.95)),
        (5, 10, 0.7776),
    ],
)
def test_the_upper_bound_after_clopper_and_pearson(hits: int, trials: int, bound: float) -> None:
    assert highest_rate(hits, trials) == pytest.approx(bound, abs=1e-4)
