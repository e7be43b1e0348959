"""The interval has its stated coverage, also with repeated looks."""

from dataclasses import replace

import numpy as np
import pytest

from hotloop.core.intervals import Interval
from hotloop.judge.levels import Level, LevelState, decided, earned, stands, state_of
from hotloop.judge.statistics import (
    EARLY_LOOKS,
    ERROR,
    LOOKS,
    Estimate,
    _t_quantile,
    estimate,
    quantiles,
    spent,
    spread,
)

ALL_LOOKS = (*EARLY_LOOKS, *LOOKS)


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _blocks(rng, count: int, middle: float, noise: float) -> np.ndarray:
    return middle * np.exp(rng.normal(0, noise, (count, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("bursts", [0.0, 0.1], ids=["quiet", "with bursts"])
@pytest.mark.parametrize("looks", [ALL_LOOKS, (4, 6, 9), (6, 9, 14)], ids=str)
def test_repeated_looks_miss_the_truth_in_less_than_five_percent(
    looks: tuple[int, ...], bursts: float
) -> None:
    rng = np.random.default_rng(5)

    def blocks(middle: float) -> np.ndarray:
        slowed = 1 + 0.15 * (rng.random((looks[-1], 2)) < bursts)
        return _blocks(rng, looks[-1], middle, 0.05) * slowed

    missed = 0
    for _ in range(200):
        a, b = blocks(1.5), blocks(1.0)
        figures = [
            estimate(a[:n], b[:n], rng, error=error)
            for n, error in zip(looks, spent(looks), strict=True)
        ]
        missed += any(not f.interval.low <= 1.5 <= f.interval.high for f in figures)
    assert missed <= 14  # 5 % of 200, and what chance adds to it


def test_a_look_spends_what_its_new_blocks_are_of_all() -> None:
    assert spent((4, 6, 10)) == pytest.approx([0.02, 0.01, 0.02])
    assert sum(spent(ALL_LOOKS)) == pytest.approx(ERROR)


@pytest.mark.parametrize(
    ("share", "freedom", "value"),
    [(0.975, 1, 12.7062), (0.999, 3, 10.2145), (0.99, 6, 3.1427), (0.975, 45, 2.0141)],
)
def test_the_quantiles_of_t_are_those_of_the_table(
    share: float, freedom: int, value: float
) -> None:
    assert _t_quantile(share, freedom) == pytest.approx(value, rel=1e-4)


def test_blocks_must_pair_up() -> None:
    with pytest.raises(ValueError, match="pair up"):
        estimate([[1.0]], [], np.random.default_rng(0))


def test_slow_windows_show_in_the_total() -> None:
    rng = np.random.default_rng(0)
    a = _blocks(rng, 20, 2.0, 0.01)
    b = _blocks(rng, 20, 1.0, 0.01)
    b[::7] *= 30
    figure = estimate(a, b, rng)
    assert figure.interval.low > 1.9
    assert figure.total_ratio < 1.0
    assert state_of(Level(1.5, 1.0), figure) is LevelState.MISSED


def _figure(low: float, high: float, total: Interval | None = None) -> Estimate:
    middle = (low + high) / 2
    return Estimate(middle, Interval(low, high), middle, total or Interval(low, high))


def test_one_block_says_nothing_of_the_total() -> None:
    figure = estimate([[2.0, 2.0]], [[1.0, 1.0]], np.random.default_rng(0))
    assert figure.total_interval == Interval(0.0, float("inf"))
    assert state_of(Level(1.5, 1.0), figure) is LevelState.OPEN


def test_few_blocks_that_agree_by_chance_have_a_wide_interval() -> None:
    """Of three windows in four at 1.4 a bootstrap would say that none is outside of what it saw."""
    figure = estimate([[1.0, 1.0]] * 4, [[0.7, 0.71], [0.7, 0.7], [0.72, 0.7], [0.9, 0.7]], _rng())
    assert figure.interval.low < 1.2


@pytest.mark.parametrize("total", [1.0, 1.45, 1.8, 20.0])
def test_an_early_look_earns_no_points(total: float) -> None:
    figure = _figure(total, total + 0.05)
    early = "missed" if total < 1.3 else "open"
    assert state_of(Level(1.3, 1.0), replace(figure, early=7)) == early
    assert state_of(Level(1.3, 0.0), replace(figure, early=7)) == early.replace("open", "reached")
    assert state_of(Level(1.3, 1.0), figure) == ("missed" if total < 1.3 else "reached")


@pytest.mark.parametrize(("low", "high", "alike"), [(1.7, 1.9, True), (1.5, 1.9, False)])
def test_what_is_clear_stands_for_a_slow_baseline_as_well(
    low: float, high: float, alike: bool
) -> None:
    assert stands((Level(1.3, 1.0), Level(1.8, 0.0)), _figure(low, high), 1.25) is alike
    assert stands((Level(1.3, 1.0),), replace(_figure(1.7, 1.9), early=7), 1.25)
    assert not stands((Level(1.8, 1.0),), _figure(1.0, 3.0), 1.25), "open is not decided"


def test_the_interval_of_the_total_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(300):
        a, b = _blocks(rng, 10, 1.5, 0.1), _blocks(rng, 10, 1.0, 0.1)
        total = estimate(a, b, rng, error=0.01).total_interval
        missed += not total.low <= 1.5 <= total.high
    assert missed <= 9  # 1 % of 300, and what chance adds to it


def test_a_level_is_reached_missed_or_open() -> None:
    level = Level(2.0, 1.0)
    assert state_of(level, _figure(2.0, 2.2)) is LevelState.REACHED
    assert state_of(level, _figure(1.8, 1.99)) is LevelState.MISSED
    assert state_of(level, _figure(1.9, 2.1)) is LevelState.OPEN


@pytest.mark.parametrize("by_block", [False, True])
@pytest.mark.parametrize(("fast", "slow"), [(1.45, 0.85), (1.40, 0.90)])
def test_the_total_of_a_mixture_is_overrated_no_more_often_than_its_interval_says(
    fast: float, slow: float, by_block: bool
) -> None:
    """Its total is exactly what a level asks for: at most 2.5 % above it, over all looks."""
    truth = 1.164
    share = (1 / slow - 1 / truth) / (1 / slow - 1 / fast)
    rng = np.random.default_rng(1)
    above = 0
    for _ in range(400):
        a, draws = _blocks(rng, LOOKS[-1], 1.0, 0.03), rng.random((LOOKS[-1], 2))
        draws = draws[:, [0, 0]] if by_block else draws
        b = _blocks(rng, LOOKS[-1], 1.0, 0.03) / np.where(draws < share, fast, slow)
        totals = [
            estimate(a[:n], b[:n], rng, error=error, resamples=2).total_interval
            for n, error in zip(LOOKS, spent(LOOKS), strict=True)
        ]
        above += any(total.low > truth for total in totals)
    assert above <= 20, "2.5 % of 400, and what chance adds to it"


@pytest.mark.parametrize(
    ("total", "state"),
    [
        (Interval(1.95, 2.4), LevelState.REACHED),
        (Interval(1.90, 2.4), LevelState.OPEN),
        (Interval(1.50, 1.9), LevelState.MISSED),
    ],
)
def test_the_total_must_reach_a_level_too(total: Interval, state: LevelState) -> None:
    assert state_of(Level(2.0, 1.0), _figure(2.1, 2.2, total)) is state


def test_points_are_those_of_the_highest_level_reached() -> None:
    levels = (Level(1.5, 0.5), Level(2.0, 1.0), Level(3.0, 0.0))
    assert earned(levels, _figure(1.6, 1.9)) == 0.5
    assert earned(levels, _figure(2.1, 2.9)) == 1.0
    assert earned(levels, _figure(3.1, 3.2)) == 1.0
    assert decided(levels, _figure(2.1, 3.2))
    assert not decided(levels, _figure(1.9, 2.1))


def test_quantiles_and_spread() -> None:
    assert quantiles([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) == {"p20": 2.0, "p50": 3.5, "p80": 5.0}
    assert spread([1.0, 1.0, 1.0]) == 0
