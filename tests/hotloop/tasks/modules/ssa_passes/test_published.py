"""What is compared of the published network, without Paddle."""

import numpy as np
import pytest

from hotloop.tasks.modules.ssa_passes import published

LOGITS = np.array([[0.5, -8.0, 2.0, 1.0]])


@pytest.mark.parametrize("off", [0.01, np.nan, np.inf])
def test_a_logit_that_is_off_or_no_number_is_told(off: float) -> None:
    got = LOGITS.copy()
    got[0, 2] += off
    assert published.far(got, LOGITS) == f"a logit is {got[0, 2]:.6g} and should be 2"


def test_rounding_is_allowed() -> None:
    assert published.far(LOGITS + 0.005, LOGITS) is None


@pytest.mark.parametrize("name", ["conv2d_bn_fuse_pass", "onednn_placement_pass"])
def test_a_name_of_a_pass_is_one(name: str) -> None:
    assert published.PASS.fullmatch(name)


@pytest.mark.parametrize("name", ["", "fuse", "../x_pass", "a_pass\n", "x" * 80 + "_pass"])
def test_another_text_is_none(name: str) -> None:
    assert not published.PASS.fullmatch(name)
