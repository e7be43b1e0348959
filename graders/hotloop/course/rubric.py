"""The rubric of a written task, for whoever marks it, and for the learner once it is marked."""

from dataclasses import dataclass

from hotloop.course.render_record import number
from hotloop.curriculum import Task


@dataclass(frozen=True)
class Row:
    """One mark. points: what it is worth, as text."""

    mark: int
    points: str
    what: str


def rows(task: Task) -> list[Row]:
    """Best mark first; none for a task that is judged."""
    best = max(task.rubric, default=0)
    return [
        Row(mark, number(task.points * mark / best), what)
        for mark, what in sorted(task.rubric.items(), reverse=True)
    ]
