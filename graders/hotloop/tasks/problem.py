"""Typed contents of module.yaml and problem.yaml: tasks with checks, points, needs and levels.

A curriculum module is a problem with lessons (`curriculum.Module`). Any other folder with a
`problem.yaml` and a `tasks.py`, which defines how its tasks are judged, is one too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    model_validator,
)

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.record import Record
from hotloop.core.variant import Value
from hotloop.core.yaml_lines import load

FILE = "problem.yaml"

Need = Literal[
    "serving",
    "cuda",
    "onnx",
    "onnx_custom",
    "extension",
    "tvm",
    "xla",
    "monitoring",
    "checkpoints",
    "xdsl",
    "openvino",
    "litert",
    "coreml",
    "executorch",
    "paddle",
    "transformers",
    "tensorflow",
    "torch_xla",
    "tile_languages",
]
"""Optional software besides Hotloop's packages; `hotloop doctor` uses the same names."""


Share = Annotated[float, Field(gt=0, le=1)]
"""A share of a check's points."""


class LevelEntry(Strict):
    """At least `ratio` times the baseline earns the share `earned` of the check's points."""

    ratio: Annotated[float, Field(gt=0)]
    earned: Share


class CountLimitEntry(Strict):
    """At most `factor` times the reference, and `plus`, earns this share of the check's points."""

    factor: Annotated[float, Field(gt=0)]
    plus: Annotated[float, Field(ge=0)] = 0.0
    earned: Share


def _rising(levels: list[LevelEntry]) -> list[LevelEntry]:
    for low, high in pairwise(levels):
        if low.ratio >= high.ratio or low.earned >= high.earned:
            raise ValueError("each level has a higher `ratio` and a higher `earned` than the last")
    if levels[-1].earned < 1:
        raise ValueError("the last level earns 1.0, or nobody could earn all points")
    return levels


def _wider(limits: list[CountLimitEntry]) -> list[CountLimitEntry]:
    for first, then in pairwise(limits):
        no_wider = first.factor >= then.factor or first.plus > then.plus
        if no_wider or first.earned <= then.earned:
            raise ValueError("each limit has a higher `factor` and a lower `earned` than the last")
    if limits[0].earned < 1:
        raise ValueError("the first limit earns 1.0, or nobody could earn all points")
    return limits


Levels = Annotated[list[LevelEntry], Field(min_length=1), AfterValidator(_rising)]
"""From the easiest to the hardest."""

Limits = Annotated[list[CountLimitEntry], Field(min_length=1), AfterValidator(_wider)]
"""From the hardest to the easiest."""


class DeviceLevels(Strict):
    """Levels of one device, supported by a recorded run there: `hotloop author calibrate`.

    device: its name in the run file.
    """

    device: Text
    levels: Levels


class Threshold(Strict):
    """Speed requirement of a check, and the reason for it.

    stretch: a speedup beyond the levels that earns no points.
    reachable: the speedup of the check's strong baseline on the machine that `levels` are for. On a
        machine where that reaches less, the levels are lower.
    provisional: True until a recorded run confirms the levels, which then have a `reason`.
    devices: levels of specific devices; `levels` are for all others.
    """

    against: Text
    levels: Levels
    devices: tuple[DeviceLevels, ...] = ()
    stretch: Annotated[float, Field(gt=0)] | None = None
    reachable: Annotated[float, Field(gt=1)] | None = None
    provisional: bool = True
    reason: Text | None = None

    @model_validator(mode="after")
    def _is_explained(self) -> Self:
        if not self.provisional and self.reason is None:
            raise ValueError("levels that are not provisional need a `reason`: what was measured")
        return self


class Counted(Strict):
    """What a count in a run earns, where a `Threshold` says it of a measured speed.

    of: what is multiplied, such as “the fewest bytes”. limits: at most so many; levels: at least.
    """

    of: Text
    limits: Limits | None = None
    levels: Levels | None = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.limits is None) == (self.levels is None):
            raise ValueError("give either `limits`, at most so many, or `levels`, at least so many")
        return self

    @property
    def sentence(self) -> str:
        """What the count earns, for people."""
        if self.limits is not None:
            bound, steps = "At most", [(at.factor, at.plus, at.earned) for at in self.limits]
        else:
            declared = reversed(self.levels or [])
            bound, steps = "At least", [(at.ratio, 0.0, at.earned) for at in declared]
        texts = [_step(*step, of=self.of if n == 0 else "") for n, step in enumerate(steps)]
        return f"{bound} {'; '.join(texts)}."


def _step(factor: float, plus: float, earned: float, *, of: str) -> str:
    times = f"{factor:g}× {of}".strip() + (f", plus {plus:g}," if plus else "")
    return f"{times} for {'all points' if earned == 1 else f'{earned:.0%} of the points'}"


class CheckEntry(Strict):
    """One check of a task as the learner sees it. points: its maximum.

    needs: replaces the module's needs, for a check that needs less.
    needs_compiler: g++, with which torch.compile compiles for a CPU.
    threshold, counted: how a measured speed, or a count, earns a share of the points; without
        either, the check is passed or not.
    operations_per_byte: for a speed check, the task's arithmetic intensity, counted by hand.
    """

    id: Identifier
    points: Annotated[int, Field(ge=1)]
    needs_gpu: bool = False
    needs_compiler: bool = False
    needs: list[Need] | None = None
    what: Text
    threshold: Threshold | None = None
    counted: Counted | None = None
    operations_per_byte: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _has_one_scale(self) -> Self:
        if self.threshold is not None and self.counted is not None:
            raise ValueError("points follow from a `threshold` or from `counted`, not from both")
        return self

    @property
    def asked(self) -> str:
        """`what`, and how much of a count earns how many points."""
        return self.what if self.counted is None else f"{self.what} {self.counted.sentence}"


class JudgedTask(Strict):
    """The judged part of a task."""

    id: Identifier
    title: Text
    kind: Literal["code", "written"] = "code"

    entry: Text | None = None
    """The function, kernel or operator that is judged; required for code."""

    files: Annotated[list[Text], Field(min_length=1)]
    """The files that the learner edits; `entry` is in the last one."""

    cases: list[dict[str, Value]] = Field(default_factory=list[dict[str, Value]])
    """Shapes of the hidden cases, by name, which `hl.Each` in tasks.py gives to a function."""

    checks: Annotated[list[CheckEntry], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if self.kind == "code" and self.entry is None:
            raise ValueError("a code task names its `entry`, the function that is judged")
        refuse_repeats("check", [check.id for check in self.checks])
        return self

    @property
    def points(self) -> int:
        """Sum of the points of all checks."""
        return sum(check.points for check in self.checks)


TaskT = TypeVar("TaskT", bound=JudgedTask)


class TaskSet(Strict, Generic[TaskT]):
    """A set of tasks. needs: optional software for judging, besides Hotloop's packages."""

    id: Identifier
    title: Text
    tasks: Annotated[list[TaskT], Field(min_length=1)]
    needs: list[Need] = Field(default_factory=list[Need])

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        refuse_repeats("task", [task.id for task in self.tasks])
        refuse_repeats("need", list(self.needs))
        return self

    @property
    def points(self) -> int:
        """Sum of the points of all tasks."""
        return sum(task.points for task in self.tasks)

    def needs_of(self, check: CheckEntry) -> list[Need]:
        """Return the needs of judging `check`."""
        return self.needs if check.needs is None else check.needs

    def task(self, name: str) -> TaskT:
        """Return the task called `name`. Raises KeyError, which lists the existing tasks."""
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks)
        raise KeyError(f"{self.id} has no task {name!r}; it has {known}")


def load_problem(folder: Path) -> TaskSet[JudgedTask]:
    """Read `problem.yaml` in the folder. Raises CurriculumError if it is invalid."""
    return load(folder / FILE, TaskSet[JudgedTask])


@dataclass(frozen=True)
class Score:
    """points: earned so far; pending: not decided yet; possible: maximum of the task."""

    points: float
    pending: float
    possible: float


def settle(problem: TaskSet[TaskT], name: str, record: Record | None) -> Score:
    """Return the points of the task called `name`.

    A check without a result in the record is pending, and so are all if there is no record. Raises
    ValueError if the record is about another task.
    """
    task = problem.task(name)
    if record is not None and (record.module, record.task) != (problem.id, name):
        wrong = f"{record.module}.{record.task}"
        raise ValueError(f"the record is about {wrong}, not {problem.id}.{name}")
    return add_up({check.id: float(check.points) for check in task.checks}, record)


def add_up(worth: Mapping[str, float], record: Record | None) -> Score:
    """Return the points of a record, by what each check is worth.

    A check without a result in the record is pending, and so are all if there is no record.
    """
    judged = {check.check: check for check in record.checks} if record is not None else {}
    points = pending = 0.0
    for name, most in worth.items():
        result = judged.get(name)
        if result is None or result.verdict.pending:
            pending += most
        else:
            points += result.earned * most
    return Score(points, pending, float(sum(worth.values())))


def refuse_repeats(what: str, names: list[str]) -> None:
    """Raise ValueError if a name occurs twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is there twice")
