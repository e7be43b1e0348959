"""Several submissions at once: nothing is lost, whatever becomes of a grading process."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course import pool, records
from hotloop.course.grade import grade
from hotloop.course.isolation import Isolation
from hotloop.course.progress import Progress
from hotloop.judge.job import Job
from hotloop.sandbox.plain import launch_plain

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

STUDENTS = ("ada", "bob", "cyd", "dan")


class JudgeThatMayDie:
    """Takes the grading process with it when a submission has a file called `die`.

    inner: the class of the judge that does the work; processes that are forked inherit it.
    """

    inner: Any = None

    def judge(self, job: Job, *rest: Any) -> Any:
        if (Path(str(job.files)) / "die").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return self.inner().judge(job, *rest)


def unconfined() -> Isolation:
    return Isolation("none", launch_plain)


@pytest.fixture
def settings(make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Forked processes see this module, and the tiny course's data; spawned ones would not."""
    monkeypatch.setattr(pool, "_START", "fork")
    monkeypatch.setattr(JudgeThatMayDie, "inner", make.SmallJudge)
    return {"judge_factory": JudgeThatMayDie, "isolation": unconfined}


def test_what_came_of_each_is_given_in_their_order(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student, answer in zip(STUDENTS, ("42", "41", "42", "0"), strict=True):
        course.submit(student, make.lab(answer))
    steps: list[Progress] = []
    graded = grade(course.root, settings=settings, on_progress=steps.append, jobs=2)
    answers = [(r.student, r.verdict) for r in graded.results if r.task == "answer"]
    right, wrong = "passed", "wrong_answer"
    assert answers == [("ada", right), ("bob", wrong), ("cyd", right), ("dan", wrong)]
    assert graded.problems == {}
    assert len(graded.feedback) == len(STUDENTS)
    assert {step.student for step in steps} == set(STUDENTS)
    assert {step.total for step in steps} == {len(STUDENTS)}


def test_a_process_that_dies_loses_its_own_submission_alone(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab(), files={"die": ""} if student == "bob" else None)
    graded = grade(course.root, settings=settings, jobs=2)
    assert list(graded.problems) == ["bob/tiny"]
    verdicts = course.verdicts(graded)
    assert verdicts["bob"]["answer"] == "judge_error"
    assert {verdicts[s]["answer"] for s in STUDENTS if s != "bob"} == {"passed"}
    for student in STUDENTS:
        expected = None if student == "bob" else student
        grading = records.latest(course.root, student, "tiny")
        assert (grading.student if grading else None) == expected


def test_ctrl_c_ends_the_batch(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab())

    def press(_step: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(course.root, settings=settings, on_progress=press, jobs=2)
