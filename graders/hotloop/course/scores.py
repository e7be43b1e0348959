"""The points of submissions: the one reader of gradebook and judge's records that all pages use."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Self, TypeVar

from nbgrader.api import Gradebook
from sqlalchemy import Connection

from hotloop.core.record import Record
from hotloop.course import worth as course_worth
from hotloop.course.attempts import store as transaction
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.store import store
from hotloop.course.gradebook import Place, grades
from hotloop.course.hand_in import SUBMITTED
from hotloop.course.points import is_open, needs_record, of_grade, total
from hotloop.course.worth import Worth
from hotloop.tasks.problem import Score
from hotloop.verdicts import words as verdict_words

KeyT = TypeVar("KeyT")


@dataclass(frozen=True)
class Counting:
    """What the points of a course follow from.

    published: returns the attempt of a learner at a module that counts, or None. worth: returns
    what a module's checks are worth, as when it was first asked.
    """

    published: Callable[[str, str], Attempt | None]
    worth: Callable[[str], Worth]

    @classmethod
    def of(cls, root: Path) -> Self:
        """Return that of the course at `root`."""
        attempts = store(root)

        def worth(module: str) -> Worth:
            return attempts.read(lambda connection: course_worth.of_course(connection, module))

        return cls(
            attempts.published,
            cache(worth),
        )

    @classmethod
    def within(cls, connection: Connection) -> Self:
        """Return that inside a transaction."""
        return cls(
            partial(transaction.published, connection),
            cache(partial(course_worth.of_course, connection)),
        )


@dataclass
class ScoredNotebook:
    """A submitted notebook in the gradebook. penalty: points for late submission.

    published: as in `Counting`. worth: of the module. grades: nbgrader's grades of the notebook's
    cells.
    """

    student: str
    module: str
    notebook: str
    penalty: float
    published: Callable[[str, str], Attempt | None]
    worth: Worth
    grades: list[Any] = field(default_factory=list[Any])

    @property
    def place(self) -> Place:
        """Learner and module."""
        return self.student, self.module

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that counts, read when it is first needed."""
        return self.published(self.student, self.module)

    def score(self, grade: Any) -> Score:
        """Return the points of one grade."""
        by_judge = grade.manual_score is None and needs_record(grade, self.worth)
        return of_grade(grade, self.worth, self.attempt if by_judge else None)

    def record(self, task: str) -> Record | None:
        """Return the judge's record of a task, without checks that are left out.

        Returns None if a person grades it or it is not judged.
        """
        record = None if self.attempt is None else self.attempt.records.get(task)
        return None if record is None else self.worth.shown(record)

    def is_instrumented(self, grade: Any) -> bool:
        """Whether points of a grade rest on what a process with the learner's code said."""
        record = self.record(grade.name) if grade.manual_score is None else None
        return record is not None and bool(verdict_words.instrumented(record))


def scored(
    gradebook: Gradebook,
    counting: Counting,
    module: str | None = None,
    student: str | None = None,
) -> list[ScoredNotebook]:
    """Return the submitted notebooks, sorted by learner. module, student: only theirs."""
    by_notebook: dict[tuple[str, str, str], ScoredNotebook] = {}
    # Pages go through submissions one by one: a class's attempts are not all kept in memory.
    once, worth = lru_cache(maxsize=1)(counting.published), counting.worth
    for learner, name, notebook, late, grade in grades(gradebook, module, student):
        new = ScoredNotebook(learner, name, notebook, float(late or 0.0), once, worth(name))
        by_notebook.setdefault((learner, name, notebook), new).grades.append(grade)
    return list(by_notebook.values())


def handed_in(root: Path, parts: Iterable[ScoredNotebook]) -> list[ScoredNotebook]:
    """Leave out learners of whom the gradebook has only an extension.

    A submission that has a score counts, even if its folder was put away.
    """
    return [
        part
        for part in parts
        if (root / SUBMITTED / part.student / part.module).is_dir()
        or not all(map(is_open, part.grades))
    ]


def grouped(
    parts: Iterable[ScoredNotebook], key: Callable[[ScoredNotebook], KeyT]
) -> dict[KeyT, list[ScoredNotebook]]:
    """Sort notebooks into lists by a key."""
    groups: dict[KeyT, list[ScoredNotebook]] = {}
    for part in parts:
        groups.setdefault(key(part), []).append(part)
    return groups


def penalty(parts: Iterable[ScoredNotebook]) -> float:
    """Return the points for late submission of several notebooks."""
    return sum(part.penalty for part in parts)


def before_penalty(parts: Sequence[ScoredNotebook]) -> Score:
    """Return the points of several notebooks together."""
    return total([one.score(grade) for one in parts for grade in one.grades])


def whole(parts: Sequence[ScoredNotebook]) -> Score:
    """Return the points of several notebooks together, minus the penalties."""
    return total([before_penalty(parts)], penalty(parts))
