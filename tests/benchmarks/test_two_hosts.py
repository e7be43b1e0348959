"""A learner on another host gets the verdict, also when the connection was reset meanwhile."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import two_hosts


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(900)
def test_a_learner_on_another_host() -> None:
    if why := two_hosts.missing():
        pytest.skip(why)
    found = two_hosts.measured(repeats=1, delay_s=0.02, gone_s=0)
    # What travels over the way with the delay is delayed: six round trips, of 40 ms.
    assert found["far"]["there_s"] > 0.2
    reset = found["reset"]
    assert (reset["jobs"], reset["tries"], reset["verdict"]) == (1, 1, "passed")
    assert reset["streams"] == 2


@pytest.mark.parametrize(
    ("part", "as_asked"),
    [
        ({"as_asked": True}, True),
        ({"overhead_s": 1.0}, True),
        ({"as_asked": False}, False),
    ],
)
def test_a_check_that_was_lost_is_said(part: dict[str, object], as_asked: bool) -> None:
    assert two_hosts.as_asked({"near": {"overhead_s": 0.1}, "reset": part}) is as_asked
