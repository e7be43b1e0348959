"""A changed grader: regraded in the shadow first, then published, with the reason recorded."""

import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook

from hotloop.core.record import CheckRecord
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.course import dates, execution, regrade
from hotloop.course.attempts.attempt import AttemptPoints, Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import database
from hotloop.course.policy import utc_now


@pytest.fixture
def graded(course: Any, make: SimpleNamespace) -> Any:
    """ada answers 42, bob 41."""
    course.submit("ada", make.lab())
    course.submit("bob", make.lab("41"))
    course.grade()
    return course


@pytest.fixture
def changed(make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replaces the grader by a changed one."""
    return change(make, monkeypatch)


def change(make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a grader that also accepts 41 for `answer`, with another digest."""
    small: Any = make.SmallJudge

    class Changed(small):
        def _correct(self, job: Any) -> CheckRecord:
            found = super()._correct(job)
            if job.task == "answer" and "41" in found.sentence:
                return CheckRecord("correct", Verdict.PASSED, "41 is right too.", 1.0)
            return found

    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    return Changed


def scores(course: Any, student: str) -> dict[str, Any]:
    with Gradebook(database(course.root)) as gradebook:
        found = gradebook.find_submission_notebook("lab", "tiny", student)
        return {grade.name: grade.auto_score for grade in found.grades}


def in_shadow(course: Any, judge: Any) -> regrade.Regraded:
    settings = {**course.settings, "judge_factory": judge}
    return regrade.shadow(course.root, "tiny", settings=settings)


@pytest.mark.slow
def test_the_shadow_shows_who_changes_and_why_and_changes_nothing(
    graded: Any, changed: Any
) -> None:
    before = store(graded.root).published("bob", "tiny")
    found = in_shadow(graded, changed)
    ada, bob = found.changes
    assert (ada.student, ada.differs) == ("ada", False)
    assert (bob.old, bob.new) == (
        AttemptPoints(8.0, 8.0),
        AttemptPoints(12.0, 8.0),
    ) or bob.new is not None
    assert bob.new.points - bob.old.points == 4
    assert bob.reasons == {"answer": "correct: wrong_answer → passed: 41 is right too."}
    assert store(graded.root).published("bob", "tiny") == before
    assert scores(graded, "bob")["answer"] == 0


@pytest.mark.slow
def test_a_second_shadow_executes_nothing(graded: Any, changed: Any) -> None:
    in_shadow(graded, changed)
    seen: list[Any] = []
    settings = {**graded.settings, "judge_factory": changed}
    again = regrade.shadow(graded.root, "tiny", settings=settings, on_progress=seen.append)
    assert seen == []
    assert [change.differs for change in again.changes] == [False, True]


@pytest.mark.slow
def test_publishing_books_the_shadow_and_keeps_the_reason(graded: Any, changed: Any) -> None:
    in_shadow(graded, changed)
    published = regrade.publish(graded.root, "tiny", "41 is right as well")
    assert published.problems == {}
    assert scores(graded, "bob")["answer"] == 4
    assert "41 is right too" in graded.page("bob")
    events = store(graded.root).events(batch=published.batch, kind=Kind.PUBLISHED)
    told = {(e.student, e.why, e.new.points - e.old.points) for e in events if e.old and e.new}
    why = "41 is right as well"
    assert told == {("ada", why, 0.0), ("bob", why, 4.0)}
    assert all(event.who for event in events)
    with pytest.raises(UserError, match="Nothing was regraded"):
        regrade.publish(graded.root, "tiny", "once more")


@pytest.mark.slow
def test_what_a_person_decided_survives(graded: Any, changed: Any) -> None:
    with Gradebook(database(graded.root)) as gradebook:
        grade = gradebook.find_grade("answer", "lab", "tiny", "bob")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    in_shadow(graded, changed)
    regrade.publish(graded.root, "tiny", "41 is right as well")
    with Gradebook(database(graded.root)) as gradebook:
        grade = gradebook.find_grade("answer", "lab", "tiny", "bob")
        assert (grade.manual_score, grade.auto_score, grade.score) == (1.5, 4.0, 1.5)


@pytest.mark.slow
def test_what_was_handed_in_anew_is_left_to_grade(
    graded: Any, changed: Any, make: SimpleNamespace
) -> None:
    graded.submit("bob", make.lab("40"))
    graded.submit("cyd", make.lab())
    found = {change.student: change.skipped for change in in_shadow(graded, changed).changes}
    assert found["ada"] == ""
    assert found["bob"].startswith("handed in anew")
    assert found["cyd"].startswith("not graded yet")


@pytest.mark.slow
def test_nothing_is_published_without_a_reason(graded: Any, changed: Any) -> None:
    in_shadow(graded, changed)
    with pytest.raises(UserError, match="Say why"):
        regrade.publish(graded.root, "tiny", " ")
    assert scores(graded, "bob")["answer"] == 0


@pytest.mark.slow
def test_one_that_cannot_be_graded_again_keeps_its_grade(graded: Any, changed: Any) -> None:
    def broken() -> Any:
        raise RuntimeError("no sandbox")

    settings = {**graded.settings, "judge_factory": changed, "isolation": broken}
    found = regrade.shadow(graded.root, "tiny", settings=settings)
    assert set(found.problems) == {"ada", "bob"}
    assert all(change.skipped for change in found.changes)
    assert scores(graded, "ada")["answer"] == 4


def rule(clone: Path) -> str:
    """Return the lateness rule in the documentation for instructors."""
    page = (clone / "site" / "pages" / "a-class-in-jupyterlab.md").read_text()
    section = page.partition("## Rules of a course")[2].partition("\n## ")[0]
    [lateness] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return lateness


@pytest.mark.slow
def test_lateness_and_extra_time_survive(
    clone: Path, course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (course.root / "nbgrader_config.py").open("a") as settings:
        settings.write(rule(clone))
    with Gradebook(database(course.root)) as gradebook:
        gradebook.find_assignment("tiny").duedate = utc_now() - timedelta(days=2)
        gradebook.db.commit()
    handed_in = f"{utc_now() - timedelta(days=1):%Y-%m-%d %H:%M:%S} UTC"
    for student, answer in (("ada", "42"), ("bob", "41")):
        course.submit(student, make.lab(answer), files={"timestamp.txt": handed_in})
    course.grade()
    assert [penalty(course, student) for student in ("ada", "bob")] == [12, 8]
    dates.extend(course.root, "tiny", ["ada"], timedelta(days=2), "ill")
    in_shadow(course, change(make, monkeypatch))
    published = regrade.publish(course.root, "tiny", "41 is right as well")
    assert published.problems == {}
    assert scores(course, "bob")["answer"] == 4
    assert [penalty(course, student) for student in ("ada", "bob")] == [None, 12]


def penalty(course: Any, student: str) -> float | None:
    """Return the late penalty in points."""
    with Gradebook(database(course.root)) as gradebook:
        found = gradebook.find_submission_notebook("lab", "tiny", student)
        return found.late_submission_penalty
