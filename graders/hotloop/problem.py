"""Typed contents of module.yaml and problem.yaml: tasks with rungs, points, needs and levels.

A curriculum module is a problem with lessons (`curriculum.Module`). Any other folder with a
`problem.yaml` and a `tasks.py`, which defines how its tasks are judged, is one too.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hotloop.core.record import Record
from hotloop.yaml_lines import load

FILE = "problem.yaml"

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
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
]
"""Optional software besides Hotloop's packages; `hotloop doctor` uses the same names."""


class Strict(BaseModel):
    """Base of the file models: unknown keys are rejected, and instances are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Level(Strict):
    """A speedup over the baseline, and the share of the rung's points that it earns."""

    ratio: Annotated[float, Field(gt=0)]
    earned: Annotated[float, Field(gt=0, le=1)]


class DeviceLevels(Strict):
    """Levels of one device, supported by a recorded run there: `hotloop author calibrate`.

    device: its name in the run file.
    """

    device: Text
    levels: Annotated[list[Level], Field(min_length=1)]


class Threshold(Strict):
    """Speed requirement of a rung, and the reason for it.

    stretch: a speedup beyond the levels that earns no points.
    provisional: True until a recorded run confirms the levels, which then have a `reason`.
    devices: levels of specific devices; `levels` are for all others.
    """

    against: Text
    levels: Annotated[list[Level], Field(min_length=1)]
    devices: list[DeviceLevels] = []
    stretch: Annotated[float, Field(gt=0)] | None = None
    provisional: bool = True
    reason: Text | None = None

    @model_validator(mode="after")
    def _is_explained(self) -> Self:
        if not self.provisional and self.reason is None:
            raise ValueError("levels that are not provisional need a `reason`: what was measured")
        return self


class Rung(Strict):
    """One check of a task as the learner sees it. points: its maximum.

    needs: replaces the module's needs, for a rung that needs less.
    needs_compiler: g++, with which torch.compile compiles for a CPU.
    operations_per_byte: for a speed rung, the task's arithmetic intensity, counted by hand.
    """

    id: Identifier
    points: Annotated[int, Field(ge=1)]
    needs_gpu: bool = False
    needs_compiler: bool = False
    needs: list[Need] | None = None
    what: Text
    threshold: Threshold | None = None
    operations_per_byte: Annotated[float, Field(gt=0)] | None = None


class JudgedTask(Strict):
    """The judged part of a task."""

    id: Identifier
    title: Text
    kind: Literal["code", "written"] = "code"

    entry: Text | None = None
    """The function, kernel or operator that is judged; required for code."""

    files: Annotated[list[Text], Field(min_length=1)]
    """The files that the learner edits; `entry` is in the last one."""

    rungs: Annotated[list[Rung], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if self.kind == "code" and self.entry is None:
            raise ValueError("a code task names its `entry`, the function that is judged")
        refuse_repeats("rung", [rung.id for rung in self.rungs])
        return self

    @property
    def points(self) -> int:
        """Sum of the points of all rungs."""
        return sum(rung.points for rung in self.rungs)


TaskT = TypeVar("TaskT", bound=JudgedTask)


class Problem(Strict, Generic[TaskT]):
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

    def needs_of(self, rung: Rung) -> list[Need]:
        """Return the needs of judging `rung`."""
        return self.needs if rung.needs is None else rung.needs

    def task(self, name: str) -> TaskT:
        """Return the task called `name`. Raises KeyError, which lists the existing tasks."""
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks)
        raise KeyError(f"{self.id} has no task {name!r}; it has {known}")


def load_problem(folder: Path) -> Problem[JudgedTask]:
    """Read `problem.yaml` in the folder. Raises CurriculumError if it is invalid."""
    return load(folder / FILE, Problem[JudgedTask])


@dataclass(frozen=True)
class Score:
    """points: earned so far; pending: not decided yet; possible: maximum of the task."""

    points: float
    pending: float
    possible: float


def settle(problem: Problem[TaskT], name: str, record: Record | None) -> Score:
    """Return the points of the task called `name`.

    A rung without a result in the record is pending, and so are all if there is no record. Raises
    ValueError if the record is about another task.
    """
    task = problem.task(name)
    if record is not None and (record.module, record.task) != (problem.id, name):
        wrong = f"{record.module}.{record.task}"
        raise ValueError(f"the record is about {wrong}, not {problem.id}.{name}")
    judged = {rung.rung: rung for rung in record.rungs} if record is not None else {}
    points = pending = 0.0
    for rung in task.rungs:
        found = judged.get(rung.id)
        if found is None or found.verdict.pending:
            pending += rung.points
        else:
            points += found.earned * rung.points
    return Score(points, pending, float(task.points))


def refuse_repeats(what: str, names: list[str]) -> None:
    """Raise ValueError if a name occurs twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is there twice")
