"""What a count and a speedup earn, and where levels lie on a machine that reaches less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.levels import CountLimit, Level, lowered, within

BYTES = (CountLimit(1.05, 1.0), CountLimit(1.5, 0.5))
KERNELS = (CountLimit(10, 1.0, plus=8), CountLimit(14, 0.5, plus=10))


@pytest.mark.parametrize(
    ("factor", "earned"), [(1.0, 1.0), (1.05, 1.0), (1.0501, 0.5), (1.5, 0.5), (1.51, 0.0)]
)
def test_a_factor_is_within_a_limit_that_it_equals(factor: float, earned: float) -> None:
    assert within(BYTES, factor) == earned


@pytest.mark.parametrize(("kernels", "earned"), [(38, 1.0), (39, 0.5), (52, 0.5), (53, 0.0)])
def test_what_is_allowed_besides_is_added_once(kernels: int, earned: float) -> None:
    assert within(KERNELS, kernels, 3) == earned


LEVELS = (Level(1.2, 0.5), Level(1.3, 1.0), Level(1.6, 0.0))


def test_levels_stay_where_the_strong_baseline_is_as_fast_as_declared_or_faster() -> None:
    for reachable in (1.68, 3.0):
        assert lowered(LEVELS, reachable, 1.68) == LEVELS


@given(st.floats(1.01, 1.67))
def test_lowered_levels_lie_between_the_baseline_and_what_is_reachable(reachable: float) -> None:
    ratios = [level.ratio for level in lowered(LEVELS, reachable, 1.68)]
    assert ratios == sorted(ratios)
    assert ratios[0] > 1
    assert ratios[-1] < reachable
    assert [level.earned for level in lowered(LEVELS, reachable, 1.68)] == [0.5, 1.0, 0.0]
