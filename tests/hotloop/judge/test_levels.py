"""A count earns the share of the first limit that it keeps."""

import pytest

from hotloop.judge.levels import CountLimit, within

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
