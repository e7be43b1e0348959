"""What is judged, as typed objects: tasks with rungs, points, needs and levels.

A module of the curriculum is one (`curriculum.Module`, which teaches besides). Another one is a
folder anywhere: `problem.yaml`, and beside it a `tasks.py` that says how its tasks are judged.
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
"""What is installed apart from Hotloop's packages; `hotloop doctor` finds it by this name."""


class Strict(BaseModel):
    """A file's form: unknown keys are refused, and what was read does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Level(Strict):
    """A ratio to the baseline, and the share of the rung's points that reaching it earns."""

    ratio: Annotated[float, Field(gt=0)]
    earned: Annotated[float, Field(gt=0, le=1)]


class DeviceLevels(Strict):
    """Levels of one device, which a recorded run there supports: `hotloop author calibrate`.

    device: as the run file has it.
    """

    device: Text
    levels: Annotated[list[Level], Field(min_length=1)]


class Threshold(Strict):
    """What a speed rung asks for, and why.

    stretch: a ratio beyond the levels, which earns nothing and is worth knowing. provisional: not
    yet settled by a recorded run. devices: levels of those that have one; `levels` are for others.
    """

    against: Text
    levels: Annotated[list[Level], Field(min_length=1)]
    devices: list[DeviceLevels] = []
    stretch: Annotated[float, Field(gt=0)] | None = None
    provisional: bool
    reason: Text


class Rung(Strict):
    """One rung of the evidence ladder as a learner sees it. points: what it is worth at most.

    needs: in place of the module's, for a rung that needs less. needs_compiler: g++, with which
    torch.compile builds its code for a CPU. operations_per_byte: for a speed rung, the arithmetic
    that the task takes for each byte that it must move, counted by hand.
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
    """A task as far as it is judged."""

    id: Identifier
    title: Text
    kind: Literal["code", "written"] = "code"

    entry: Text | None = None
    """The function, kernel or operator that is judged."""

    files: Annotated[list[Text], Field(min_length=1)]
    """What the learner edits; `entry` is in the last one."""

    rungs: Annotated[list[Rung], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if self.kind == "code" and self.entry is None:
            raise ValueError("a code task names its `entry`, the function that is judged")
        refuse_repeats("rung", [rung.id for rung in self.rungs])
        return self

    @property
    def points(self) -> int:
        """The points of all rungs."""
        return sum(rung.points for rung in self.rungs)


TaskT = TypeVar("TaskT", bound=JudgedTask)


class Problem(Strict, Generic[TaskT]):
    """Tasks that belong together. needs: what judging them takes, beside Hotloop's packages."""

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
        """All points."""
        return sum(task.points for task in self.tasks)

    def needs_of(self, rung: Rung) -> list[Need]:
        """What judging `rung` takes."""
        return self.needs if rung.needs is None else rung.needs

    def task(self, name: str) -> TaskT:
        """The task called `name`. KeyError names those that there are."""
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks)
        raise KeyError(f"{self.id} has no task {name!r}; it has {known}")


def load_problem(folder: Path) -> Problem[JudgedTask]:
    """What `problem.yaml` in the folder says. CurriculumError when it is not as it must be."""
    return load(folder / FILE, Problem[JudgedTask])


@dataclass(frozen=True)
class Score:
    """points: earned so far; pending: those still open; possible: all of the task's."""

    points: float
    pending: float
    possible: float


def settle(problem: Problem[TaskT], name: str, record: Record | None) -> Score:
    """The points of the task called `name`.

    A rung that the record does not speak of is pending, and so is all without a record: silence is
    no evidence. ValueError when the record is about something else.
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
    """ValueError when a name is there twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is there twice")
