"""The points of submissions: the one reader of gradebook and judge's records that all pages use."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nbgrader.api import Gradebook

from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.gradebook import Place, grades
from hotloop.course.points import is_open, of_grade, total
from hotloop.problem import Score

Published = Callable[[str, str], Attempt | None]
"""Returns the attempt of a learner at a module that counts, or None."""


@dataclass
class Scored:
    """A submission in the gradebook.

    grades: by notebook, nbgrader's grades of its cells. penalties: by notebook, points for late
    submission.
    """

    student: str
    module: str
    published: Published
    grades: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    penalties: dict[str, float] = field(default_factory=dict[str, float])

    @cached_property
    def attempt(self) -> Attempt | None:
        """The attempt that counts, read when it is first needed."""
        return self.published(self.student, self.module)

    @property
    def all_grades(self) -> list[Any]:
        """The grades of all notebooks."""
        return [grade for several in self.grades.values() for grade in several]

    @property
    def penalty(self) -> float:
        """Points for late submission."""
        return sum(self.penalties.values())

    @property
    def whole(self) -> Score:
        """Points of all grades together, minus the penalty."""
        return total([self.score(grade) for grade in self.all_grades], self.penalty)

    def score(self, grade: Any) -> Score:
        """Return the points of one grade."""
        return of_grade(grade, self.module, self.attempt if is_open(grade) else None)

    def record(self, task: str) -> Record | None:
        """Return the judge's record of a task; None if a person grades it or it is not judged."""
        return None if self.attempt is None else self.attempt.records.get(task)


def scored(
    gradebook: Gradebook,
    published: Published,
    module: str | None = None,
    student: str | None = None,
) -> dict[Place, Scored]:
    """Return the submissions in a gradebook, sorted by learner. module, student: only theirs."""
    found: dict[Place, Scored] = {}
    for learner, name, notebook, penalty, grade in grades(gradebook, module, student):
        one = found.setdefault((learner, name), Scored(learner, name, published))
        one.grades.setdefault(notebook, []).append(grade)
        one.penalties[notebook] = float(penalty or 0.0)
    return found
