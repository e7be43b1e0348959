"""What the judged tasks of a module are worth: in the service's course, as its export has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hotloop.core.record import Record
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import Score, settle


@dataclass(frozen=True)
class ModulePoints:
    """possible: points of each judged task. score: returns the points of a record."""

    possible: Mapping[str, float]
    score: Callable[[str, Record], Score]


def of_module(module: str, course: Path | None) -> ModulePoints:
    """Return what counts now: in a course, or without one as module.yaml says it.

    Raises KeyError for a module that this release does not have.
    """
    problem = load_module(module)
    judged = [task for task in problem.tasks if task.kind == "code"]
    if course is None:
        possible = {task.id: float(task.points) for task in judged}
        return ModulePoints(possible, partial(settle, problem))
    # Imported here, as a service without a course needs no nbgrader.
    from hotloop.course import worth as course_worth
    from hotloop.course.attempts.store import store

    worth = store(course).read(lambda connection: course_worth.of_course(connection, module))

    def score(task: str, record: Record) -> Score:
        found = worth.score(task, record)
        # A mark that stands already is final, though checks that come later may raise it.
        return found if worth.mark(task, record) is None else replace(found, pending=0.0)

    possible = {task.id: worth.possible(task.id) for task in judged if worth.is_judged(task.id)}
    return ModulePoints(possible, score)
