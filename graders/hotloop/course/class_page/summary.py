"""The class page as plain data, for `--json` and for rendering."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from hotloop.course import item_statistics
from hotloop.course.class_page import causes
from hotloop.course.class_page.alike import Alike, AlikeHandIns
from hotloop.course.class_page.causes import Cause, OpenPointsCause
from hotloop.course.class_page.distribution import Distribution, distribution
from hotloop.course.class_page.marks import ClassMarks, ModuleMarks
from hotloop.course.class_page.timing import Timing, timings
from hotloop.course.item_statistics import Difficulty, Discrimination
from hotloop.course.points import total
from hotloop.tasks.problem import Score

TASK_PARTS, MODULE_PARTS = 4, 5
"""Number of bins strictly between zero and full points."""


@dataclass(frozen=True)
class TaskSummary:
    """Statistics of one task. pending: number of learners with open points.

    instrumented: number of learners whose points rest on what their own process said.
    """

    task: str
    title: str
    possible: float
    pending: int
    instrumented: int
    distribution: Distribution
    difficulty: Difficulty
    discrimination: Discrimination


@dataclass(frozen=True)
class ModuleSummary:
    """Statistics of one module. pending: learners with open points; pending_points: their sum.

    rules: what the course says of GPU checks and late hand-ins, or "".
    small: warning about a small class, or "". totals: by learner, after late penalties.
    instrumented: learners of whom some points are so. alike: groups of similar hand-ins.
    unreadable: by learner, why a hand-in could not be compared. All four are empty if learners are
    not named.
    """

    module: str
    title: str
    possible: float
    handed_in: int
    graded: int
    pending: int
    pending_points: float
    small: str
    distribution: Distribution
    tasks: tuple[TaskSummary, ...]
    lost: tuple[Cause, ...]
    waiting: tuple[OpenPointsCause, ...]
    timings: tuple[Timing, ...]
    totals: dict[str, Score]
    rules: str = ""
    instrumented: tuple[str, ...] = ()
    alike: tuple[Alike, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ClassSummary:
    """A course. names: whether learners are named."""

    course: str
    learners: int
    names: bool
    modules: tuple[ModuleSummary, ...]


def summary(
    marks: ClassMarks, *, names: bool = False, alike: Mapping[str, AlikeHandIns] | None = None
) -> ClassSummary:
    """Summarize a class. Without `names`, nothing identifies a learner.

    alike: similar hand-ins by module; used only with `names`.
    """
    hidden = None if names else marks.names
    modules = [_module(module, hidden) for module in marks.modules]
    if names and alike:
        compared = [alike.get(module.module, AlikeHandIns()) for module in modules]
        modules = [
            replace(module, alike=of.groups, unreadable=of.unreadable)
            for module, of in zip(modules, compared, strict=True)
        ]
    return ClassSummary(
        marks.course,
        marks.learners,
        names,
        tuple(modules),
    )


def document(class_summary: ClassSummary) -> dict[str, Any]:
    """Convert to plain data. Learners are counted, and listed only if they are named."""
    plain = asdict(class_summary)
    for module in plain["modules"]:
        for group in [*module["lost"], *module["waiting"]]:
            group["learners"] = len(group["students"])
            if not class_summary.names:
                del group["students"]
    return plain


def small_class(learners: int) -> str:
    """Return a warning that a small class's statistics may be due to chance, or ""."""
    enough = item_statistics.fewest_learners()
    reach = item_statistics.reach_of_chance(learners)
    if learners >= enough:
        return ""
    if reach is None:
        return (
            f"With {learners} graded learners, correlations mean nothing; "
            f"these figures need at least {enough}."
        )
    return (
        f"Small class: with {learners} graded learners, difficulty and discrimination are "
        f"unreliable. By chance alone, {learners} learners give correlations up to ±{reach:.2f}; "
        f"it takes {enough} until that is below {item_statistics.GOOD_CORRELATION:g}, "
        "which is commonly called good."
    )


def _module(of: ModuleMarks, hidden: Collection[str] | None) -> ModuleSummary:
    """Summarize a module. hidden: names to remove from sentences; None if learners are named."""
    students = sorted({mark.student for mark in of.marks})
    scores = _by_student(of, students)
    totals = {s: total(scores[s], of.penalties.get(s, 0.0)) for s in students}
    sums = list(totals.values())
    instrumented = sorted({mark.student for mark in of.marks if mark.instrumented})
    by_hand = {task for task in of.tasks if of.module.task(task).kind == "written"}
    clean = causes.cleaner(hidden) if hidden else causes.without_numbers
    return ModuleSummary(
        module=of.module.id,
        title=of.module.title,
        possible=sum(of.worth.possible(task) for task in of.tasks),
        rules=of.worth.rules,
        handed_in=len(of.handed_in),
        graded=len(students),
        pending=sum(score.pending > 0 for score in sums),
        pending_points=sum(score.pending for score in sums),
        small=small_class(len(students)),
        distribution=distribution(sums, MODULE_PARTS),
        tasks=tuple(_tasks(of, [scores[student] for student in students])),
        lost=tuple(causes.lost(of.marks, clean)),
        waiting=tuple(causes.waiting(of.marks, by_hand, clean)),
        timings=tuple(timings(of.marks)),
        totals=totals if hidden is None else {},
        instrumented=tuple(instrumented) if hidden is None else (),
    )


def _by_student(of: ModuleMarks, students: Sequence[str]) -> dict[str, list[Score]]:
    """Return each learner's scores in task order; missing ones are open."""
    worth = [of.worth.possible(task) for task in of.tasks]
    scores = {student: [Score(0.0, points, points) for points in worth] for student in students}
    for mark in of.marks:
        scores[mark.student][of.tasks.index(mark.task)] = mark.score
    return scores


def _tasks(of: ModuleMarks, scores: Sequence[Sequence[Score]]) -> list[TaskSummary]:
    """Summarize the tasks. scores: one row per learner, in task order."""
    points = np.array([[score.points for score in row] for row in scores], np.float64)
    pending = np.array([[score.pending for score in row] for row in scores], np.float64)
    possible = np.array([[score.possible for score in row] for row in scores], np.float64)
    return [
        TaskSummary(
            task=task,
            title=of.module.task(task).title,
            possible=of.worth.possible(task),
            pending=sum(row[index].pending > 0 for row in scores),
            instrumented=sum(mark.instrumented for mark in of.marks if mark.task == task),
            distribution=distribution([row[index] for row in scores], TASK_PARTS),
            difficulty=item_statistics.difficulty(
                item_statistics.shares(points, pending, possible)[:, index]
            ),
            discrimination=item_statistics.discrimination(points, pending, possible, index),
        )
        for index, task in enumerate(of.tasks)
    ]
