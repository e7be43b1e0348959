"""Shares in whole percent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.takehome.instructions import percentages


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ({"a": 12, "b": 12, "c": 10}, [35, 35, 30]),
        ({"a": 1, "b": 1, "c": 1}, [34, 33, 33]),
        ({"a": 1, "b": 3, "c": 1}, [20, 60, 20]),
        ({"a": 0.5}, [100]),
    ],
)
def test_what_rounding_loses_goes_to_who_lost_most(
    weights: dict[str, float], shares: list[int]
) -> None:
    found = percentages(weights)
    assert list(found) == list(weights)
    assert list(found.values()) == shares


@pytest.mark.slow
@given(st.lists(st.floats(0.01, 1000), min_size=1, max_size=30))
def test_they_add_up_and_are_off_by_less_than_one(weights: list[float]) -> None:
    found = percentages({str(number): weight for number, weight in enumerate(weights)})
    assert sum(found.values()) == 100
    for number, weight in enumerate(weights):
        assert abs(found[str(number)] - 100 * weight / sum(weights)) < 1 + 1e-9
