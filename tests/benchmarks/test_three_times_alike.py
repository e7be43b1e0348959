"""Which differences between gradings of the same submissions count as explained."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from three_times_alike import differences

RIGHT, LESS, NONE, OPEN = ("passed", 1.0), ("passed", 0.5), ("too_slow", 0.0), ("undecided", 0.0)
SPEED = {("chain", "fast")}


@pytest.mark.parametrize("got", [[RIGHT] * 3, [NONE] * 3, [OPEN] * 3])
def test_the_same_each_time_is_no_difference(got: list[tuple[str, float]]) -> None:
    assert differences([{("ada", "chain", "fast"): one} for one in got], SPEED) == []


@pytest.mark.parametrize(
    ("check", "got", "explained"),
    [
        ("fast", [RIGHT, OPEN, RIGHT], True),
        ("fast", [OPEN, NONE, OPEN], True),
        ("fast", [RIGHT, OPEN, NONE], False),
        ("fast", [RIGHT, LESS, OPEN], False),
        ("fast", [RIGHT, NONE, RIGHT], False),
        ("correct", [RIGHT, OPEN, RIGHT], False),
    ],
)
def test_only_an_open_measurement_explains_a_difference(
    check: str, got: list[tuple[str, float]], explained: bool
) -> None:
    [found] = differences([{("ada", "chain", check): one} for one in got], SPEED)
    assert (found.explained, list(found.got)) == (explained, got)


def test_a_check_that_is_missing_once_is_a_difference() -> None:
    everything = {("ada", "chain", "correct"): RIGHT, ("bob", "chain", "correct"): NONE}
    [found] = differences([everything, {("ada", "chain", "correct"): RIGHT}], SPEED)
    assert found.check == ("bob", "chain", "correct")
    assert not found.explained
    assert str(found) == "bob chain correct: too_slow 0, not there 0"
