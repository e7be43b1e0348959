"""Checks that need a GPU are measured by themselves once there is one; others are not repeated."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.course import gpu_checks
from hotloop.course import grade as grading
from hotloop.course.attempts.store import store
from hotloop.course.execution import execute
from hotloop.course.executors import ExecutorWork, local
from hotloop.course.hand_in import read
from hotloop.course.notebook_run import Terms
from hotloop.course.released import load_release
from hotloop.judge.job import Job

Asked = list[tuple[str, Any]]
"""Tasks that a judge was asked for, each with the checks."""


@pytest.fixture
def asked() -> Asked:
    return []


@pytest.fixture
def machine(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> Callable[..., None]:
    """Returns a function that simulates a machine with or without a GPU."""

    class Judge(make.SmallJudge):
        """With a GPU it judges the second check too; like the real judge, only requested checks."""

        has_gpu = False

        def judge(self, job: Job, *rest: Any, **more: Any) -> Any:
            asked.append((job.task, job.checks))
            record = super().judge(job, *rest, **more)
            checks = [
                replace(check, verdict=Verdict.PASSED, sentence="Right, on a GPU.", earned=1.0)
                if self.has_gpu and job.device != "cpu" and check.verdict is Verdict.NOT_MEASURED
                else check
                for check in record.checks
                if job.checks is None or check.check in job.checks
            ]
            return replace(record, checks=tuple(checks))

    def turn(*, has_gpu: bool, name: str = "here") -> None:
        monkeypatch.setattr(local, "kind", lambda: "cuda" if has_gpu else "cpu")
        monkeypatch.setattr(Judge, "has_gpu", has_gpu)
        monkeypatch.setattr(grading, "machine", lambda isolation: {"name": name})
        monkeypatch.setattr(
            "hotloop.course.execution.machine",
            lambda isolation: {"name": name, "isolation": isolation},
        )
        asked.clear()

    course.settings["judge_factory"] = Judge
    return turn


@pytest.fixture
def graded(course: Any, make: SimpleNamespace, machine: Callable[..., None]) -> Any:
    """ada is right, bob is wrong in the task with a GPU check; graded without a GPU."""
    course.submit("ada", make.lab())
    course.submit("bob", make.lab(gpu_answer="41"))
    machine(has_gpu=False)
    course.grade()
    return course


def verdicts(course: Any, student: str) -> dict[str, Verdict]:
    counts = store(course.root).published(student, "tiny")
    return {check.check: check.verdict for check in counts.records["gpu_answer"].checks}


@pytest.mark.slow
def test_what_was_open_is_measured_alone(
    graded: Any, machine: Callable[..., None], asked: Asked
) -> None:
    before = store(graded.root).published("ada", "tiny")
    assert verdicts(graded, "ada")["gpu_correct"] is Verdict.NOT_MEASURED
    assert "12 of 20 points" in graded.page("ada")
    machine(has_gpu=True, name="a node with a GPU")
    graded.grade()
    assert asked == [("gpu_answer", ["gpu_correct"])]
    assert verdicts(graded, "ada") == {"correct": Verdict.PASSED, "gpu_correct": Verdict.PASSED}
    after = store(graded.root).published("ada", "tiny")
    assert after.machine["name"] == "a node with a GPU"
    for task in ("answer", "from_file"):
        assert after.records[task] == before.records[task]
    assert str(graded.autograded("ada")).count("Right, on a GPU.") == 2  # HTML and text
    assert "14 of 20 points" in graded.page("ada")
    asked.clear()
    graded.grade()
    assert asked == []


@pytest.mark.slow
def test_a_check_that_is_lost_already_needs_no_gpu(
    graded: Any, machine: Callable[..., None]
) -> None:
    assert verdicts(graded, "bob")["gpu_correct"] is Verdict.WRONG_ANSWER
    assert gpu_checks.open_on_gpu(store(graded.root).published("bob", "tiny")) == {}


@pytest.mark.slow
def test_another_machine_without_a_gpu_changes_nothing(
    graded: Any, machine: Callable[..., None], asked: Asked
) -> None:
    machine(has_gpu=False, name="elsewhere")
    graded.grade()
    assert asked == []


@pytest.mark.slow
def test_a_new_hand_in_is_judged_whole(
    graded: Any, machine: Callable[..., None], make: SimpleNamespace, asked: Asked
) -> None:
    machine(has_gpu=True)
    graded.submit("bob", make.lab())
    graded.grade("bob")
    assert asked == [("answer", None), ("gpu_answer", None), ("from_file", None)]
    assert verdicts(graded, "bob")["gpu_correct"] is Verdict.PASSED


@pytest.mark.slow
def test_who_must_leave_the_gpu_alone_does(
    graded: Any, machine: Callable[..., None], make: SimpleNamespace
) -> None:
    """The first gradings on a cluster must not use the GPU either, on any node."""
    machine(has_gpu=True)
    hand_in = read(graded.root, "ada", load_release(graded.root, "tiny"))
    isolation, judge = graded.settings["isolation"], graded.settings["judge_factory"]
    terms = Terms(isolation=isolation, judge=judge, device="cpu")
    first = execute(hand_in, terms)
    assert gpu_checks.open_on_gpu(first) == {"gpu_answer": ["gpu_correct"]}
    work = ExecutorWork(hand_in.key, hand_in, earlier=first)
    second = local.attempt(work, replace(terms, device=""), lambda *_step: None)
    assert gpu_checks.open_on_gpu(second) == {}
    assert second.id is None
