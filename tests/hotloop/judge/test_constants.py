"""A variant's constants apply while its task is judged, and have the plain constant's type."""

import pytest

from hotloop.judge.constants import constant, constants, published
from hotloop.judge.fault import JudgeFault


def test_a_course_has_the_plain_value() -> None:
    assert constant("SHARPNESS", 1.0) == 1.0


def test_a_variant_has_its_own_in_the_plain_ones_type() -> None:
    with constants({"SHARPNESS": 2, "HIDES": True}):
        found = constant("SHARPNESS", 1.0)
        assert (found, type(found)) == (2.0, float)
        assert constant("HIDES", False) is True
    assert constant("SHARPNESS", 1.0) == 1.0


def test_a_variant_that_lacks_one_is_our_fault() -> None:
    with constants({"SHARPNESS": 2.0}), pytest.raises(JudgeFault, match="has no TOTAL"):
        constant("TOTAL", 1.0)


def test_they_end_with_a_failure() -> None:
    with pytest.raises(RuntimeError), constants({"SHARPNESS": 2.0}):
        raise RuntimeError
    assert constant("SHARPNESS", 1.0) == 1.0


def test_published_code_is_judged_without_a_variant() -> None:
    def doubled(times: int) -> float:
        return times * constant("SHARPNESS", 1.0)

    with constants({"SHARPNESS": 2.0}):
        assert (doubled(3), published(doubled)(3)) == (6.0, 3.0)
