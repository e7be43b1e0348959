"""Mixing fast and slow windows earns nothing that the total time does not; constant speed does."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from level_strategies import CONSTANT, JUST_SHORT, MIXED, NOISES, Strategy, measure

from hotloop.judge.levels import TOTAL_TIME_MARGIN

pytestmark = pytest.mark.slow

RUNS = 40


def test_seventy_to_thirty_is_within_the_margin_for_total_time() -> None:
    """It earns the first level now and then, and may: only its median has to be above it."""
    strategy = Strategy("", 1.45, 0.85, 0.70)
    assert TOTAL_TIME_MARGIN * 1.2 < strategy.total < 1.2
    assert strategy.due == 0.5


@pytest.mark.parametrize(
    "strategy", MIXED, ids=lambda strategy: f"{strategy.name}, {strategy.share:g}"
)
def test_a_mixture_earns_what_its_total_time_earns(strategy: Strategy) -> None:
    found = measure(strategy, NOISES["3 %"], RUNS, seed=1)
    assert found.more <= 2 / RUNS
    before = measure(strategy, NOISES["3 %"], RUNS, seed=1, rule="median")
    assert found.more <= before.more


@pytest.mark.parametrize("strategy", JUST_SHORT, ids=lambda strategy: strategy.name)
def test_an_early_look_overrates_a_mixture_no_more_often_than_its_error(
    strategy: Strategy,
) -> None:
    found = measure(strategy, NOISES["1 %"], 2 * RUNS, seed=1)
    assert found.more <= 4 / (2 * RUNS), "2.5 % of 80, and what chance adds to it"


def test_what_is_clearly_missed_is_decided_in_a_few_blocks() -> None:
    blocks = [measure(Strategy("", fast), NOISES["1 %"], 10, 1).blocks for fast in (0.8, 1.1)]
    assert max(blocks) <= 7


@pytest.mark.parametrize("strategy", CONSTANT, ids=lambda strategy: strategy.name)
def test_a_constant_speed_earns_what_is_due_as_often_as_by_medians_alone(
    strategy: Strategy,
) -> None:
    found = measure(strategy, NOISES["3 %"], RUNS, seed=1)
    before = measure(strategy, NOISES["3 %"], RUNS, seed=1, rule="median")
    assert found.more == 0
    assert found.due >= before.due - 1 / RUNS
    assert found.left_open <= before.left_open + 1 / RUNS
