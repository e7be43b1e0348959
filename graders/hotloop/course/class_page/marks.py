"""Reads a class's points per task from the gradebook and the judge's records."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook

from hotloop.core.record import Record
from hotloop.course.config import load_config
from hotloop.course.hand_in import SUBMITTED
from hotloop.course.scores import Counting, grouped, handed_in, penalty, scored
from hotloop.course.worth import Worth
from hotloop.tasks.curriculum import Module, modules
from hotloop.tasks.problem import Score


@dataclass(frozen=True)
class TaskMark:
    """A learner's result on a task. record: None for tasks graded by a person or not judged.

    instrumented: whether points rest on what a process with the learner's code said.
    """

    student: str
    task: str
    score: Score
    record: Record | None
    instrumented: bool = False


@dataclass(frozen=True)
class ModuleMarks:
    """Results of a class in one module. handed_in: learners who did; marks: of graded learners.

    worth: what its checks are worth in the course.
    penalties: points for late submissions, by learner.
    """

    module: Module
    tasks: list[str]
    handed_in: frozenset[str]
    marks: list[TaskMark]
    worth: Worth
    penalties: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class ClassMarks:
    """The data for the class page. names: all names of learners in the gradebook."""

    course: str
    learners: int
    names: frozenset[str]
    modules: list[ModuleMarks] = field(default_factory=list[ModuleMarks])


def read_marks(root: Path, wanted: Collection[str] | None = None) -> ClassMarks:
    """Read the course at `root`, or some of its modules.

    Raises FileNotFoundError for other folders.
    """
    root = root.resolve()
    settings = cast(Any, load_config(root)).CourseDirectory
    with Gradebook(settings.db_url) as gradebook:
        released = {assignment.name for assignment in cast(Any, gradebook).assignments}
        students = cast(Any, gradebook).students
        return ClassMarks(
            course=str(settings.course_id),
            learners=len(students),
            names=frozenset(name for student in students for name in _names(student)),
            modules=[
                _module_marks(root, gradebook, module)
                for module in modules()
                if module.id in released and (wanted is None or module.id in wanted)
            ],
        )


def _module_marks(root: Path, gradebook: Gradebook, module: Module) -> ModuleMarks:
    folders = {f.parent.name for f in (root / SUBMITTED).glob(f"*/{module.id}")}
    known = {task.id for task in module.tasks}
    counting = Counting.of(root)
    notebooks = handed_in(root, scored(gradebook, counting, module.id))
    marks = [
        TaskMark(
            one.student,
            grade.name,
            one.score(grade),
            one.record(grade.name),
            one.is_instrumented(grade),
        )
        for one in notebooks
        for grade in one.grades
        if grade.name in known
    ]
    graded = {mark.task for mark in marks}
    by_learner = grouped(notebooks, lambda one: one.student)
    return ModuleMarks(
        module=module,
        tasks=[task.id for task in module.tasks if task.id in graded],
        handed_in=frozenset(folders | by_learner.keys()),
        marks=marks,
        worth=counting.worth(module.id),
        penalties={student: penalty(parts) for student, parts in by_learner.items()},
    )


def _names(student: Any) -> Iterator[str]:
    """Yield all names of a learner except pure numbers, which sentences may contain anyway."""
    for name in (student.id, student.first_name, student.last_name, student.email):
        if name and not str(name).isdigit():
            yield str(name)
