"""A variant's constants apply while its task is judged, and have the plain constant's type."""

import pytest

from hotloop.core.variant import Value
from hotloop.judge.constants import Between, constant, constants, published
from hotloop.judge.judge_fault import JudgeFault


def test_a_course_has_the_plain_value() -> None:
    assert constant("SHARPNESS", 1.0, Between(0.5, 2.0)) == 1.0


def test_a_variant_has_its_own_in_the_plain_ones_type() -> None:
    with constants({"SHARPNESS": 2, "HIDES": True}):
        found = constant("SHARPNESS", 1.0, Between(0.5, 2.0))
        assert (found, type(found)) == (2.0, float)
        assert constant("HIDES", False, (False, True)) is True
    assert constant("SHARPNESS", 1.0, Between(0.5, 2.0)) == 1.0


def test_a_variant_that_lacks_one_is_our_fault() -> None:
    with constants({"SHARPNESS": 2.0}), pytest.raises(JudgeFault, match="has no TOTAL"):
        constant("TOTAL", 1.0, Between(1.5, 40.0))


def test_they_end_with_a_failure() -> None:
    with pytest.raises(RuntimeError), constants({"SHARPNESS": 2.0}):
        raise RuntimeError
    assert constant("SHARPNESS", 1.0, Between(0.5, 2.0)) == 1.0


def test_published_code_is_judged_without_a_variant() -> None:
    def doubled(times: int) -> float:
        return times * constant("SHARPNESS", 1.0, Between(0.5, 2.0))

    with constants({"SHARPNESS": 2.0}):
        assert (doubled(3), published(doubled)(3)) == (6.0, 3.0)


@pytest.mark.parametrize("value", [0, 0.49, 2.01, -1.0, float("nan"), float("inf"), "1"])
def test_a_value_that_is_never_drawn_is_our_fault(value: Value) -> None:
    with constants({"SHARPNESS": value}), pytest.raises(JudgeFault, match="which is never drawn"):
        constant("SHARPNESS", 1.0, Between(0.5, 2.0))


@pytest.mark.parametrize("value", [0, 1.5, 61, "7", -2])
def test_a_whole_number_that_is_never_drawn_is_our_fault(value: Value) -> None:
    with constants({"RUNS": value}), pytest.raises(JudgeFault, match="which is never drawn"):
        constant("RUNS", 1, range(2, 61))
