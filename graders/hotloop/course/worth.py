"""What the checks of a module are worth in a course, and what counts: GPU checks, late hand-ins.

All are events in the course's audit log. The first one is noted when the first submission of a
module is entered; from then on a changed module.yaml changes no mark until an instructor books it
(`repricing`), for all learners at once. So two equal works always have equal marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from hotloop.core.document import Identifier, Strict
from hotloop.core.record import CheckRecord, Record, summarize
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import AuditEvent, Kind
from hotloop.course.gradebook import joined, worth_of_cells
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import JudgedTask, Score, add_up

Points = Annotated[float, Field(ge=0)]
ALL_LEFT_OUT = "All checks of this task need a GPU, and this course leaves them out."


class GpuChecks(StrEnum):
    """What a course's checks are that need a GPU."""

    REQUIRED = "required"
    """A task is pending until they are measured."""
    LEFT_OUT = "left_out"
    """They count neither as points nor for the maximum."""
    LATER = "later"
    """They earn nothing until they are measured, so that a mark stands now and can only rise."""


SENTENCES = {
    GpuChecks.REQUIRED: "",
    GpuChecks.LEFT_OUT: "Checks that need a GPU are left out: neither the points nor the maximum "
    "count them.",
    GpuChecks.LATER: "Checks that need a GPU earn nothing until they are measured: then the mark "
    "may rise, and it does not fall.",
}
"""What the pages of a module with such checks say."""


class LateHandIns(StrEnum):
    """Which of a learner's hand-ins counts, if the last one is late and loses points for it."""

    CHOSEN = "chosen"
    """The last one in time, unless its learner or the instructor says that the late one does."""
    BETTER = "better"
    """Both are graded, and the one with the better total does, after what being late costs."""


BETTER_COUNTS = "If a later hand-in is late, both are graded, and the better total counts."
"""What the pages say of `LateHandIns.BETTER`."""


class CheckWorth(Strict):
    """Points of one check as module.yaml says them."""

    points: Points
    on_gpu: bool = False


class TaskWorth(Strict):
    """Points of one task. possible: of all checks together, in this course.

    in_notebook: of its cell in the released notebook, which an instructor may have changed.
    """

    judged: bool
    checks: dict[Identifier, CheckWorth]
    possible: Points
    in_notebook: Points


class ModuleWorth(Strict):
    """The document of an event: the tasks that are in the released notebook."""

    tasks: dict[Identifier, TaskWorth]


@dataclass(frozen=True)
class Worth:
    """A module's points in a course. tasks: empty for what is no module."""

    module: str
    gpu: GpuChecks = GpuChecks.REQUIRED
    tasks: Mapping[str, TaskWorth] = field(default_factory=dict[str, TaskWorth])
    late: LateHandIns = LateHandIns.CHOSEN

    def is_judged(self, task: str) -> bool:
        """True if points come from the judge's records; False for what a person marks."""
        return task in self.tasks and self.tasks[task].judged

    def checks(self, task: str) -> dict[str, float]:
        """Return the points of each check that counts."""
        known = self.tasks[task]
        whole = sum(check.points for check in known.checks.values())
        return {
            name: check.points * known.possible / whole
            for name, check in known.checks.items()
            if not self._is_left_out(check)
        }

    def possible(self, task: str, otherwise: float = 0.0) -> float:
        """Return a task's maximum. otherwise: of a cell that is no task of the module."""
        return sum(self.checks(task).values()) if task in self.tasks else otherwise

    def scale(self, task: str) -> float:
        """Return the points that a person's mark is a share of: never 0."""
        return self.possible(task) or self.tasks[task].possible or 1.0

    def score(self, task: str, record: Record | None) -> Score:
        """Return a task's points; all are open without a record."""
        return add_up(self.checks(task), record)

    def mark(self, task: str, record: Record | None) -> float | None:
        """Return the number for the gradebook; None while something open must be judged first."""
        score = self.score(task, record)
        return None if self._waits(task, record) else score.points

    def shown(self, record: Record) -> Record:
        """Return the record with the checks that count, and a verdict on these alone."""
        if record.task not in self.tasks:
            return record
        known = self.tasks[record.task].checks
        kept = tuple(c for c in record.checks if not self._is_left_out(known.get(c.check)))
        if len(kept) == len(record.checks):
            return record
        verdict, sentence = summarize(kept) if kept else (record.verdict, ALL_LEFT_OUT)
        return replace(record, checks=kept, verdict=verdict, sentence=sentence)

    def may_rise(self, task: str) -> bool:
        """True if a mark of this task stands though checks of it may still be measured."""
        return self.gpu is GpuChecks.LATER and self._needs_gpu(task)

    @property
    def has_gpu_checks(self) -> bool:
        """True if any check needs a GPU."""
        return any(map(self._needs_gpu, self.tasks))

    @property
    def rules(self) -> str:
        """What the pages say of checks that need a GPU and of late hand-ins, or ""."""
        said = [
            SENTENCES[self.gpu] if self.has_gpu_checks else "",
            BETTER_COUNTS if self.late is LateHandIns.BETTER else "",
        ]
        return " ".join(sentence for sentence in said if sentence)

    def _needs_gpu(self, task: str) -> bool:
        known = self.tasks.get(task)
        return known is not None and any(check.on_gpu for check in known.checks.values())

    def _is_left_out(self, check: CheckWorth | None) -> bool:
        return check is not None and check.on_gpu and self.gpu is GpuChecks.LEFT_OUT

    def _waits(self, task: str, record: Record | None) -> bool:
        results: dict[str, CheckRecord] = {}
        if record is not None:
            results = {check.check: check for check in record.checks}
        for name in self.checks(task):
            is_open = name not in results or results[name].verdict.pending
            comes_later = self.gpu is GpuChecks.LATER and self.tasks[task].checks[name].on_gpu
            if is_open and not (comes_later and record is not None):
                return True
        return False


def of_course(connection: Connection, module: str) -> Worth:
    """Return what counts now. Before anything is entered, that is what module.yaml says."""
    agreed = within.newest(connection, Kind.POINTS, module)
    gpu, late = gpu_checks(connection), late_hand_ins(connection)
    if agreed is not None:
        return Worth(module, gpu, ModuleWorth.model_validate(agreed.document).tasks, late)
    with joined(connection) as gradebook:
        cells = worth_of_cells(gradebook, module)
    return Worth(module, gpu, of_module(module, cells).tasks, late)


def gpu_checks(connection: Connection) -> GpuChecks:
    """Return what the course's GPU checks are."""
    chosen = within.newest(connection, Kind.GPU_CHECKS, "")
    return GpuChecks(chosen.document["are"]) if chosen and chosen.document else GpuChecks.REQUIRED


def late_hand_ins(connection: Connection) -> LateHandIns:
    """Return which hand-in counts in the course, if one is late."""
    chosen = within.newest(connection, Kind.LATE_HAND_INS, "")
    return (
        LateHandIns(chosen.document["counts"]) if chosen and chosen.document else LateHandIns.CHOSEN
    )


def is_agreed(connection: Connection, module: str) -> bool:
    """True once the points of the module are in the audit log."""
    return within.newest(connection, Kind.POINTS, module) is not None


def of_module(module: str, cells: Mapping[str, float]) -> ModuleWorth:
    """Return the points of module.yaml; no tasks for what is no module. cells: the notebook's."""
    return ModuleWorth(
        tasks={
            task.id: _task(task, cells.get(task.id, float(task.points)))
            for task in _tasks(module)
            if not cells or task.id in cells
        }
    )


def proposal(worth: Worth, cells: Mapping[str, float]) -> ModuleWorth:
    """Return what module.yaml and the released notebook say now.

    Where the notebook's points have changed they count, else those of module.yaml, scaled as
    before. A task that is gone from module.yaml keeps its points: its cell is still there. cells:
    the notebook's points.
    """
    now = of_module(worth.module, cells).tasks
    new = {name: _following(worth.tasks.get(name), task) for name, task in now.items()}
    return ModuleWorth(tasks={**worth.tasks, **new})


def noted(worth: ModuleWorth, module: str, why: str, batch: str = "") -> AuditEvent:
    """Return the event that these are a module's points from now on."""
    return within.about_course(Kind.POINTS, module, why, batch, worth.model_dump(mode="json"))


def noted_gpu(gpu: GpuChecks, why: str, batch: str) -> AuditEvent:
    """Return the event that the course's GPU checks are this from now on."""
    return within.about_course(Kind.GPU_CHECKS, "", f"{gpu.value}: {why}", batch, {"are": gpu})


def noted_late(late: LateHandIns, why: str, batch: str) -> AuditEvent:
    """Return the event that this hand-in counts from now on, if one is late."""
    document = {"counts": late.value}
    return within.about_course(Kind.LATE_HAND_INS, "", f"{late.value}: {why}", batch, document)


def _following(before: TaskWorth | None, now: TaskWorth) -> TaskWorth:
    if before is None or now.in_notebook != before.in_notebook:
        return now
    said = sum(check.points for check in before.checks.values())
    possible = before.possible * sum(check.points for check in now.checks.values()) / said
    return now.model_copy(update={"possible": possible})


def _task(task: JudgedTask, in_notebook: float) -> TaskWorth:
    return TaskWorth(
        judged=task.kind == "code",
        checks={
            check.id: CheckWorth(points=check.points, on_gpu=check.needs_gpu)
            for check in task.checks
        },
        possible=in_notebook,
        in_notebook=in_notebook,
    )


def _tasks(module: str) -> list[Any]:
    try:
        return list(load_module(module).tasks)
    except KeyError:
        return []
