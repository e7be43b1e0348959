"""Results that come at about the same time are entered in one transaction."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, event

from hotloop.course import grade as grading
from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.executors import ExecutorWork, Lost, Outcome, Outcomes, Tell
from hotloop.course.executors.local import attempt
from hotloop.course.notebook_run import Terms

STUDENTS = ("ada", "bob", "cyd")


@dataclass
class Together:
    """Executes in this process and yields all outcomes at once.

    broken: whose results are not whole. later: called when all is executed, before it is entered.
    """

    broken: Collection[str] = ()
    later: Callable[[], None] = lambda: None
    attempts: list[Attempt] = field(default_factory=list[Attempt])

    def run(self, works: Iterable[ExecutorWork], terms: Terms, tell: Tell) -> Generator[Outcomes]:
        outcomes: list[Outcome] = []
        for work in works:
            found = attempt(work, terms, tell)
            assert not isinstance(found, Lost), found
            outcomes.append((work.key, found))
        for index, (key, found) in enumerate(outcomes):
            assert isinstance(found, Attempt)
            if found.student in self.broken:
                outcomes[index] = (key, replace(found, notebook=None))
            self.attempts.append(found)
        self.later()
        yield outcomes

    def has_gpu(self) -> bool:
        return False


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Whose results were entered, by transaction."""
    seen: list[list[str]] = []
    enter = Book.enter

    def noted(book: Book, *attempts: Attempt) -> list[Attempt]:
        seen.append([each.student for each in attempts])
        return enter(book, *attempts)

    monkeypatch.setattr(Book, "enter", noted)
    return seen


def grade(course: Any, executor: Together, *students: str) -> Any:
    return grading.grade(
        course.root, students=students, settings=course.settings, executor=executor, feedback=False
    )


@pytest.mark.slow
def test_they_get_what_they_get_alone(
    course: Any, make: SimpleNamespace, entered: list[list[str]]
) -> None:
    for student, answer in zip(STUDENTS, ("42", "41", "42"), strict=True):
        course.submit(student, make.lab(answer, explain="Because."))
    (course.root / "submitted" / "bob" / "tiny" / "timestamp.txt").write_text("2030-01-02 03:04:05")
    together = grade(course, Together(), *STUDENTS)
    assert entered == [list(STUDENTS)]
    assert [e.student for e in store(course.root).events(kind=Kind.PUBLISHED)] == list(STUDENTS)
    alone = course.grade(*STUDENTS)
    assert alone.results == together.results
    for student in STUDENTS:
        book = Book(course.root)
        counts = store(course.root).published(student, "tiny")
        assert counts is not None
        book.enter(counts)
    assert course.grade(*STUDENTS).results == together.results


@pytest.mark.slow
def test_a_result_that_is_not_whole_stops_no_other(
    course: Any, make: SimpleNamespace, entered: list[list[str]]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab())
    graded = grade(course, Together(broken=["bob"]), *STUDENTS)
    assert entered == [list(STUDENTS), ["ada"], ["bob"], ["cyd"]]
    assert list(graded.problems) == ["bob/tiny"]
    verdicts = course.verdicts(graded)
    assert verdicts["ada"]["answer"] == verdicts["cyd"]["answer"] == "passed"
    assert verdicts["bob"]["answer"] == "judge_error"
    assert store(course.root).history("bob", "tiny") == []


@pytest.mark.slow
def test_what_a_killed_run_did_not_enter_is_graded_again(
    course: Any, make: SimpleNamespace, entered: list[list[str]]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab())
    grade(course, Together(), "ada")

    def killed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(course, Together(later=killed), *STUDENTS)
    again = Together()
    assert grade(course, again, *STUDENTS).problems == {}
    assert [each.student for each in again.attempts] == ["bob", "cyd"]
    assert entered == [["ada"], ["bob", "cyd"]]


@contextmanager
def statements() -> Iterator[list[str]]:
    """The SQL statements that are executed in the block."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


MOST_EACH = 10
"""Statements for one more submission; nbgrader's own methods, one by one, need 40."""


@pytest.mark.slow
def test_one_more_submission_costs_few_statements(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    [one] = (executor := Together(), grade(course, executor, "ada"))[0].attempts

    def count(names: Iterable[str]) -> int:
        attempts = [replace(one, student=name) for name in names]
        with statements() as seen:
            Book(course.root).enter(*attempts)
        return len(seen)

    few = count(["bob", "cyd"])
    many = count([f"learner_{number}" for number in range(12)])
    assert 0 < (many - few) / 10 <= MOST_EACH
