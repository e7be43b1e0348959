"""Which submissions are executed again, and which keep their results."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.course import grade as grading
from hotloop.course.attempts.store import store
from hotloop.course.progress import Progress


@pytest.fixture
def executed(course: Any) -> Callable[..., set[str]]:
    """Returns a function that grades and returns whose submissions were executed."""

    def run(**more: Any) -> set[str]:
        seen: set[str] = set()

        def note(step: Progress) -> None:
            seen.add(step.student)

        grading.grade(course.root, settings=course.settings, on_progress=note, **more)
        return seen

    return run


@pytest.mark.slow
def test_a_second_time_changes_nothing(
    course: Any, make: SimpleNamespace, executed: Callable[..., set[str]]
) -> None:
    course.submit("ada", make.lab())
    course.submit("bob", make.lab("41"))
    assert executed() == {"ada", "bob"}
    page = course.root / "feedback" / "ada" / "tiny" / "lab.html"
    before = page.stat().st_mtime_ns
    assert executed() == set()
    assert len(store(course.root).history("ada", "tiny")) == 1
    assert page.stat().st_mtime_ns == before


@pytest.mark.slow
@pytest.mark.parametrize("change", ["notebook", "file", "more tasks"])
def test_what_was_handed_in_anew_is_executed(
    course: Any, make: SimpleNamespace, executed: Callable[..., set[str]], change: str
) -> None:
    course.submit("ada", make.lab())
    course.submit("bob", make.lab())
    only = {"ada": ["answer"]} if change == "more tasks" else None
    executed(tasks=only)
    if change == "notebook":
        course.submit("ada", make.lab("41"))
    elif change == "file":
        course.submit("ada", files={"work.py": "def work():\n    return 41\n"})
    assert executed() == {"ada"}


@pytest.mark.slow
def test_again_means_all_of_them(
    course: Any, make: SimpleNamespace, executed: Callable[..., set[str]]
) -> None:
    course.submit("ada", make.lab())
    executed()
    assert executed(again=True) == {"ada"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.UNDECIDED, {"ada"}),
        (Verdict.JUDGE_ERROR, {"ada"}),
        (Verdict.NOT_MEASURED, set[str]()),
        (Verdict.TOO_SLOW, set[str]()),
    ],
)
def test_only_what_is_not_settled_is_measured_again(
    course: Any,
    make: SimpleNamespace,
    executed: Callable[..., set[str]],
    monkeypatch: pytest.MonkeyPatch,
    verdict: Verdict,
    expected: set[str],
) -> None:
    judge: Any = make.SmallJudge

    class Unsure(judge):
        def judge(self, *job: Any, **more: Any) -> Any:
            record = super().judge(*job, **more)
            checks = tuple(replace(check, verdict=verdict, earned=0.0) for check in record.checks)
            return replace(record, verdict=verdict, checks=checks)

    course.submit("ada", make.lab())
    course.settings["judge_factory"] = Unsure
    executed()
    assert executed() == expected


def test_progress_counts_what_is_done_and_what_failed(course: Any, make: SimpleNamespace) -> None:
    def broken() -> Any:
        raise RuntimeError("the disk is full")

    for student in ("ada", "bob"):
        course.submit(student, make.lab())
    steps: list[Progress] = []
    settings = {**course.settings, "isolation": broken}
    graded = grading.grade(course.root, settings=settings, on_progress=steps.append)
    assert list(graded.problems) == ["ada/tiny", "bob/tiny"]
    last = steps[-1]
    assert (last.done, last.total, last.failed, last.running) == (2, 2, 2, 0)
    assert steps[0].seconds_left is None
    assert last.seconds_left == 0


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lab.ipynb", "work.py"])
def test_what_this_machine_cannot_read_is_pending_and_no_zero(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    for student in ("ada", "bob"):
        course.submit(student, make.lab())
    opened = os.open

    def unreadable(path: Any, *more: Any, **named: Any) -> int:
        if str(path).endswith(f"submitted/bob/tiny/{what}"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *more, **named)

    monkeypatch.setattr(os, "open", unreadable)
    graded = course.grade()
    assert list(graded.problems) == ["bob/tiny"]
    assert "could not be read: [Errno 13] Permission denied" in graded.problems["bob/tiny"]
    points = {total.student: (total.points, total.pending) for total in graded.totals}
    assert points["ada"][0] > 0
    assert points["bob"] == (0, 20)
