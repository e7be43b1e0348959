"""The rubric of a written task, for graders, and for learners once their answer is marked."""

from dataclasses import dataclass

from hotloop.tasks.curriculum import Task
from hotloop.verdicts.render_record import number


@dataclass(frozen=True)
class RubricRow:
    """One mark. points: what it is worth, as text."""

    mark: int
    points: str
    what: str


def rows(task: Task, possible: float) -> list[RubricRow]:
    """Return the rubric, best mark first; empty for a judged task.

    possible: points of the task in the course.
    """
    best = max(task.rubric, default=0)
    return [
        RubricRow(mark, number(possible * mark / best), what)
        for mark, what in sorted(task.rubric.items(), reverse=True)
    ]
