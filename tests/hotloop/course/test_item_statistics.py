"""Difficulty and discrimination against manually computed values, and their invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hotloop.course.item_statistics import (
    Discrimination,
    Floats,
    correlation,
    difficulty,
    discrimination,
    fewest_learners,
    interval,
    reach_of_chance,
    rest_shares,
    shares,
)

POSSIBLE = np.array([4.0, 10.0, 6.0])
points = arrays(
    np.float64, st.tuples(st.integers(3, 12), st.just(3)), elements=st.integers(0, 4).map(float)
)


def nothing(like: Floats) -> Floats:
    return np.zeros_like(like)


def test_shares_leave_out_what_is_pending() -> None:
    earned = np.array([[3.0, 0.0, 5.0, 12.0]])
    pending = np.array([[0.0, 10.0, 5.0, 0.0]])
    found = shares(earned, pending, np.array([4.0, 10.0, 10.0, 10.0]))
    # 3 of 4; nothing settled; 5 of the 5 that are settled; extra credit beyond all points.
    np.testing.assert_array_equal(found, [[0.75, np.nan, 1.0, 1.0]])


def test_difficulty_is_the_mean_over_those_with_settled_points() -> None:
    found = difficulty(np.array([1.0, 0.5, np.nan, 0.0]))
    assert (found.mean, found.count) == (0.5, 3)
    assert difficulty(np.array([np.nan])).mean is None
    assert difficulty(np.array([])).count == 0


def test_a_task_is_compared_with_the_others_and_not_with_itself() -> None:
    earned = np.array([[4.0, 5.0, 3.0], [0.0, 10.0, 0.0]])
    pending = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 6.0]])
    found = rest_shares(earned, pending, POSSIBLE, 0)
    # (5 + 3) of (10 + 3) settled points; 10 of 10.
    np.testing.assert_allclose(found, [8 / 13, 1.0])


def test_a_corrected_item_total_correlation_by_hand() -> None:
    # Task 1: 0 0 1 1. The others together: 1 3 2 4. Deviations -.5 -.5 .5 .5 and -1.5 .5 -.5 1.5:
    # products sum to .75 - .25 - .25 + .75 = 1, squares to 1 and 5, so r = 1 / sqrt(5).
    earned = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [1.0, 2.0, 2.0]])
    found = discrimination(earned, nothing(earned), np.array([1.0, 2.0, 2.0]), 0)
    assert found.correlation == pytest.approx(1 / math.sqrt(5))
    assert found.count == 4


def test_learners_with_nothing_settled_are_left_out() -> None:
    earned = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [0.0, 4.0]])
    pending = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [4.0, 0.0]])
    found = discrimination(earned, pending, np.array([4.0, 4.0]), 0)
    assert found.correlation == pytest.approx(1.0)
    assert found.count == 3


@pytest.mark.parametrize(
    ("x", "y"), [([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2], [2, 4]), ([], []), ([0.1] * 7, [0.3] * 7)]
)
def test_where_nothing_varies_there_is_no_correlation(x: list[float], y: list[float]) -> None:
    a, b = np.array(x, np.float64), np.array(y, np.float64)
    assert correlation(a, b) is None
    assert interval(a, b, np.random.default_rng(1)) is None


def test_no_interval_where_one_learner_makes_all_the_difference() -> None:
    x = np.array([1.0] + [0.0] * 19)
    y = np.linspace(0, 1, 20)
    assert correlation(x, y) is not None
    # A third of the resamples leave that learner out, and then nothing varies.
    assert interval(x, y, np.random.default_rng(1)) is None


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng, truth, runs = np.random.default_rng(3), 0.5, 200
    covered = 0
    for _ in range(runs):
        x, noise = rng.standard_normal(80), rng.standard_normal(80)
        found = interval(x, truth * x + math.sqrt(1 - truth**2) * noise, rng, 400)
        assert found is not None
        covered += found[0] <= truth <= found[1]
    # Binomial with p = 0.95 over 200 runs: below 0.88 once in several thousand such tests.
    assert covered / runs > 0.88


@pytest.mark.slow
def test_many_learners_are_resampled_in_blocks() -> None:
    rng = np.random.default_rng(4)
    x = rng.random(5000)
    found = interval(x, x + rng.random(5000), rng)
    assert found is not None
    assert found[1] - found[0] < 0.1


def test_the_size_below_which_a_class_is_small() -> None:
    n = fewest_learners()
    # 1.96 / sqrt(43) = 0.2989 and 1.96 / sqrt(42) = 0.3024.
    assert n == 44
    reach, before = reach_of_chance(n), reach_of_chance(n - 1)
    assert reach is not None
    assert before is not None
    assert reach <= 0.3 < before
    assert reach_of_chance(2) is None


@pytest.mark.slow
@settings(max_examples=30)
@given(points)
def test_figures_stay_within_their_bounds(earned: Floats) -> None:
    for task in range(3):
        found = discrimination(earned, nothing(earned), POSSIBLE, task)
        if found.correlation is not None:
            assert -1 <= found.correlation <= 1
        if found.interval is not None:
            assert -1 <= found.interval[0] <= found.interval[1] <= 1
        mean = difficulty(shares(earned, nothing(earned), POSSIBLE)[:, task]).mean
        assert mean is not None
        assert 0 <= mean <= 1


@pytest.mark.slow
@settings(max_examples=50)
@given(points)
def test_with_nothing_pending_it_is_the_textbooks_figure(earned: Floats) -> None:
    item, rest = earned[:, 0], earned[:, 1] + earned[:, 2]
    found = discrimination(earned, nothing(earned), POSSIBLE, 0).correlation
    if np.ptp(item) == 0 or np.ptp(rest) == 0:
        assert found is None
    else:
        assert found == pytest.approx(np.corrcoef(item, rest)[0, 1], abs=1e-9)


@pytest.mark.slow
@settings(max_examples=30)
@given(points, st.randoms(use_true_random=False))
def test_the_order_of_learners_does_not_matter(earned: Floats, random: object) -> None:
    order = np.arange(len(earned))
    random.shuffle(order)  # type: ignore[attr-defined]
    a = discrimination(earned, nothing(earned), POSSIBLE, 1).correlation
    b = discrimination(earned[order], nothing(earned), POSSIBLE, 1).correlation
    assert a == pytest.approx(b, abs=1e-9)


@settings(max_examples=25)
@given(points, st.integers(1, 9))
def test_the_unit_of_points_does_not_matter(earned: Floats, unit: int) -> None:
    a = discrimination(earned, nothing(earned), POSSIBLE, 2)
    b = discrimination(unit * earned, nothing(earned), unit * POSSIBLE, 2)
    assert a.correlation == pytest.approx(b.correlation, abs=1e-9)
    assert a.count == b.count


@pytest.mark.slow
@settings(max_examples=30)
@given(points)
def test_learners_with_everything_pending_change_nothing(earned: Floats) -> None:
    alone = discrimination(earned, nothing(earned), POSSIBLE, 0)
    more = np.vstack([earned, np.zeros((2, 3))])
    pending = np.vstack([nothing(earned), POSSIBLE, POSSIBLE])
    assert discrimination(more, pending, POSSIBLE, 0) == alone


def test_the_same_points_give_the_same_page() -> None:
    earned = np.random.default_rng(2).random((60, 3)) * POSSIBLE
    found = discrimination(earned, nothing(earned), POSSIBLE, 0)
    assert isinstance(found, Discrimination)
    assert found == discrimination(earned, nothing(earned), POSSIBLE, 0)
