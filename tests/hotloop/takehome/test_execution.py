"""A submission's tasks are judged in parallel, and a lost one costs no points."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.execution import Say, Terms
from hotloop.course.hand_in import HandIn as Piece
from hotloop.takehome import execution
from hotloop.takehome.reporting import make_report
from hotloop.takehome.submission import Submission

from .conftest import Hired
from .made_reports import record, rung

TASKS = ("online_pass", "triton_forward", "explain")
LONGEST_S = 60.0


def right(piece: Piece, _terms: Terms, _say: Say) -> Attempt:
    """Pass every task without judging."""
    (task,) = piece.tasks
    passed = {task: record(task, [rung("correct")])}
    return Attempt(piece.student, piece.module, "", "", {}, now(), 0.0, passed)


def meets_another(piece: Piece, terms: Terms, say: Say) -> Attempt:
    """Return when a second task has begun, which never happens if they are judged in turn."""
    (task,) = piece.tasks
    Path(tempfile.gettempdir(), task).touch()
    latest = time.monotonic() + LONGEST_S
    while not all(Path(tempfile.gettempdir(), other).exists() for other in TASKS[:2]):
        if time.monotonic() > latest:
            raise TimeoutError(f"{task} was judged alone")
        time.sleep(0.05)
    return right(piece, terms, say)


def dies(piece: Piece, terms: Terms, say: Say) -> Attempt:
    """End the process when it judges the first task."""
    if piece.tasks == TASKS[:1]:
        os._exit(1)
    return right(piece, terms, say)


@pytest.fixture
def judged_by(
    monkeypatch: pytest.MonkeyPatch, worked: tuple[Hired, Submission], tmp_path: Path
) -> Callable[..., dict[str, execution.Record]]:
    hired, submission = worked
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    # Other processes import the executed functions by this file's name.
    monkeypatch.syspath_prepend(Path(__file__).parents[3])

    def judged(execute: object, **more: object) -> dict[str, execution.Record]:
        monkeypatch.setattr(execution, "judge_candidate", execute)
        return execution.judged(submission, hired.team, TASKS, **more)  # type: ignore[arg-type]

    return judged


def test_two_tasks_are_judged_at_once(judged_by: Callable[..., dict[str, object]]) -> None:
    told: list[str] = []
    found = judged_by(meets_another, jobs=2, on_progress=told.append)
    assert list(found) == ["online_pass", "triton_forward"]
    assert {"online_pass: starting", "triton_forward: starting"} <= set(told)


def test_a_lost_task_is_the_judges_error_and_the_other_counts(
    judged_by: Callable[..., dict[str, execution.Record]], worked: tuple[Hired, Submission]
) -> None:
    found = judged_by(dies, jobs=2)
    assert found["triton_forward"].verdict is Verdict.PASSED
    assert found["online_pass"].verdict is Verdict.JUDGE_ERROR
    assert "The process that graded it ended" in found["online_pass"].rungs[0].evidence["error"]
    hired, submission = worked
    report = make_report(submission, hired.team, found)
    points = {task.task: task.points for task in report.tasks}
    assert points["online_pass"].low < points["online_pass"].high


def test_one_at_a_time_needs_no_other_process(
    judged_by: Callable[..., dict[str, execution.Record]],
) -> None:
    found = judged_by(right, jobs=1)
    assert [r.verdict for r in found.values()] == [Verdict.PASSED, Verdict.PASSED]
