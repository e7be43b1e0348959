"""A diagnosis counts only with its evidence, which must be what the recordings show."""

import json
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.engines import trace
from hotloop.judge.constants import constants
from hotloop.tasks.modules.profile_training_loop.recordings import DIAGNOSIS

FOLDER = paths.exercises() / "profile_training_loop"
KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "profile_training_loop/recordings/recordings.json").read_text(
        encoding="utf-8"
    )
)


def diagnosis() -> dict[str, dict[str, Any]]:
    """The right diagnosis, with each recording's strongest evidence."""
    answer: dict[str, dict[str, Any]] = {}
    for name in DIAGNOSIS.names:
        event, share = max(KNOWN[name]["evidence"].items(), key=lambda pair: pair[1])
        answer[name] = {"cause": KNOWN[name]["cause"], "event": event, "share": share}
    return answer


@pytest.mark.slow
def test_a_right_diagnosis_is_accepted() -> None:
    assert DIAGNOSIS.mismatch(diagnosis()) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", DIAGNOSIS.names)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cause": "cosmic rays"}, "expected one of"),
        ({"cause": None}, "expected one of"),
        ({"event": "ProfilerStep#3"}, "is not where the lost time lies"),
        ({"event": 7}, "is not where the lost time lies"),
        ({"share": 0.01}, "expected"),
        ({"share": None}, "not a number"),
    ],
)
def test_everything_in_it_must_be_right(name: str, change: dict[str, Any], message: str) -> None:
    wrong = diagnosis()
    wrong[name] = {**wrong[name], **change}
    mismatch = DIAGNOSIS.mismatch(wrong)
    assert mismatch is not None
    assert mismatch.startswith(f"recording {name}")
    assert message in mismatch


@pytest.mark.slow
def test_causes_cannot_be_swapped() -> None:
    wrong = diagnosis()
    wrong["a"], wrong["b"] = wrong["b"], wrong["a"]
    assert DIAGNOSIS.mismatch(wrong) is not None
    assert DIAGNOSIS.mismatch(["a"]) is not None
    assert DIAGNOSIS.mismatch({}) is not None


@pytest.mark.parametrize("name", DIAGNOSIS.names)
def test_a_learner_finds_the_share_that_the_judge_knows(name: str) -> None:
    """Uses the method of the third hint."""
    recorded = trace.read(FOLDER / f"recorded_{name}.pt.trace.json.gz")
    total = sum(step.duration_us for step in recorded.steps)
    shares = {r.name: r.total_us / total for r in [*recorded.ops_in_steps(), *recorded.ranges()]}
    wanted = diagnosis()[name]
    assert shares[wanted["event"]] == pytest.approx(wanted["share"], rel=0.05)


def test_the_range_of_the_loop_is_evidence_in_each_recording() -> None:
    answer = diagnosis()
    for name, event in zip(DIAGNOSIS.names, ("average", "forward", "update", "load"), strict=True):
        answer[name] = {**answer[name], "event": event, "share": KNOWN[name]["evidence"][event]}
    assert DIAGNOSIS.mismatch(answer) is None


def test_evidence_takes_a_tenth_of_the_steps_time() -> None:
    assert all(min(KNOWN[name]["evidence"].values()) >= 0.1 for name in DIAGNOSIS.names)


def test_each_recording_is_a_question_of_its_own() -> None:
    wrong = {**diagnosis(), "c": {}}
    asked = list(DIAGNOSIS.questions())
    assert [question.mismatch(wrong) is None for question in asked] == [True, True, False, True]


def test_a_variant_orders_the_recordings_and_counts_hours() -> None:
    right = diagnosis()
    own = {
        name: {**right[file], "share": 3 * right[file]["share"]}
        for name, file in zip(DIAGNOSIS.names, "badc", strict=True)
    }
    with constants({"FILES": "badc", "HOURS": 3}):
        assert DIAGNOSIS.mismatch(own) is None
        assert DIAGNOSIS.mismatch(right) is not None
    assert DIAGNOSIS.mismatch(own) is not None
