"""Changes what counts in a course: other points, what its GPU checks are, which late hand-ins.

Nothing is executed: the marks of all learners follow from their records, in one transaction, with
the event that says when, who and why. A preview is the same transaction, taken back.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import AuditEvent, batch_name, require_reason
from hotloop.course.attempts.store import store
from hotloop.course.book import AUTOGRADED, Book
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.gradebook import Place, joined
from hotloop.course.released import RELEASE, released_modules
from hotloop.course.scores import Counting, grouped, handed_in, scored, whole
from hotloop.course.worth import (
    GpuChecks,
    LateHandIns,
    ModuleWorth,
    Worth,
    gpu_checks,
    late_hand_ins,
    noted,
    noted_gpu,
    noted_late,
    proposal,
)
from hotloop.judge.lease import Lease
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.problem import Score


@dataclass(frozen=True)
class MarkChange:
    """A learner's points of a module before and after, with late penalties and marks by hand."""

    student: str
    module: str
    before: Score
    after: Score


@dataclass(frozen=True)
class ModulePoints:
    """A module's points in the course. possible: its maximum; by_task: that of each task.

    differs: the tasks for which module.yaml or the released notebook now say something else.
    """

    module: str
    possible: float
    by_task: dict[str, float]
    differs: tuple[str, ...]


@dataclass(frozen=True)
class Repriced:
    """What a change does. batch: its name in the audit log, "" for a preview.

    problems: pages that could not be made, by learner and module.
    """

    changes: Sequence[MarkChange]
    batch: str = ""
    problems: dict[str, str] = field(default_factory=dict[str, str])


def gpu_checks_of(root: Path) -> GpuChecks:
    """Return what the course's GPU checks are."""
    return store(root).read(gpu_checks)


def points(root: Path) -> list[ModulePoints]:
    """Return the points of all released modules, sorted by name."""
    return [_points(root, module) for module in sorted(released_modules(root))]


def set_gpu_checks(root: Path, gpu: GpuChecks, why: str) -> Repriced:
    """Set what the course's GPU checks are. Raises UserError without a reason."""
    require_reason(why)
    batch = batch_name("gpu-checks")
    modules = [
        module
        for module in sorted(released_modules(root))
        if Counting.of(root).worth(module).has_gpu_checks
    ]
    return _book(root, [noted_gpu(gpu, why, batch)], modules, batch)


def late_hand_ins_of(root: Path) -> LateHandIns:
    """Return which of a learner's hand-ins counts in the course, if one is late."""
    return store(root).read(late_hand_ins)


def set_late_hand_ins(root: Path, late: LateHandIns, why: str) -> Repriced:
    """Set which hand-in counts, if one is late. Raises UserError without a reason.

    What counts already goes on to count unless another one has the better total.
    """
    require_reason(why)
    batch = batch_name("late-hand-ins")
    return _book(root, [noted_late(late, why, batch)], sorted(released_modules(root)), batch)


def preview(root: Path, modules: Sequence[str]) -> Repriced:
    """Return who would change if the points of module.yaml counted. Nothing is changed."""
    return _book(root, _events(root, modules, "preview", ""), modules, "")


def publish(root: Path, modules: Sequence[str], why: str) -> Repriced:
    """Let the points of module.yaml count.

    Raises UserError without a reason, or if they count already.
    """
    require_reason(why)
    batch = batch_name("points")
    events = _events(root, modules, why, batch)
    if not events:
        raise UserError("The points of module.yaml count already; nothing was changed.")
    return _book(root, events, [event.module for event in events], batch)


class _TakenBack(Exception):
    """Ends the transaction of a preview."""


def _book(root: Path, events: Sequence[AuditEvent], modules: Sequence[str], batch: str) -> Repriced:
    root = root.resolve()
    book = Book(root, batch=batch)
    changes: list[MarkChange] = []

    def work(connection: Connection) -> None:
        before = _totals(root, connection, modules)
        book.revalue(connection, events, modules)
        after = _totals(root, connection, modules)
        changes[:] = [
            MarkChange(*place, score, after[place])
            for place, score in before.items()
            if score != after[place]
        ]
        if not batch:
            raise _TakenBack

    graded = [
        (path.parent.name, module)
        for module in modules
        for path in sorted((root / AUTOGRADED).glob(f"*/{module}"))
    ]
    with Lease().shared():
        if batch:
            book.withdraw(graded)
        try:
            store(root).write(work)
        except _TakenBack:
            return Repriced(changes)
        return Repriced(changes, batch, _pages(root, book, graded))


def _totals(root: Path, connection: Connection, modules: Sequence[str]) -> dict[Place, Score]:
    counting = Counting.within(connection)
    with joined(connection) as gradebook:
        known = [part for module in modules for part in scored(gradebook, counting, module)]
        parts = handed_in(root, known)
        return {place: whole(of) for place, of in grouped(parts, lambda one: one.place).items()}


def _pages(root: Path, book: Book, graded: Sequence[Place]) -> dict[str, str]:
    """Write the graded notebooks and pages, which show what checks are worth."""
    pages, problems = FeedbackPages(root), dict[str, str]()
    counting = Counting.of(root)
    for student, module in graded:
        if (counts := counting.published(student, module)) is not None:
            book.write(counts, counting)
        if problem := pages.refresh(student, module):
            problems[f"{student}/{module}"] = problem
    return problems


def _events(root: Path, modules: Sequence[str], why: str, batch: str) -> list[AuditEvent]:
    events: list[AuditEvent] = []
    for module in modules:
        worth = Counting.of(root).worth(module)
        new = _proposal(root, worth)
        if new.tasks != worth.tasks:
            events.append(noted(new, module, why, batch))
    return events


def _proposal(root: Path, worth: Worth) -> ModuleWorth:
    in_notebook = {name: task.in_notebook for name, task in worth.tasks.items()}
    return proposal(worth, {**in_notebook, **_released(root, worth.module)})


def _released(root: Path, module: str) -> dict[str, float]:
    """Return the points of the graded cells of the released notebook; none if it is gone."""
    try:
        notebook: Any = json.loads((root / RELEASE / module / NOTEBOOK).read_text("utf-8"))
        marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    except (OSError, ValueError, KeyError):
        return {}
    return {mark["grade_id"]: float(mark["points"]) for mark in marks if "points" in mark}


def _points(root: Path, module: str) -> ModulePoints:
    worth = Counting.of(root).worth(module)
    new = _proposal(root, worth).tasks
    names = {*worth.tasks, *new}
    by_task = {task: worth.possible(task) for task in worth.tasks}
    differs = sorted(name for name in names if worth.tasks.get(name) != new.get(name))
    return ModulePoints(module, sum(by_task.values()), by_task, tuple(differs))
