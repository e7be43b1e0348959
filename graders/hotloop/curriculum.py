"""The curriculum's data files as typed objects: tracks, modules, tasks, recorded runs.

Order is data: `curriculum.yaml` gives it. Modules are found on disk; nothing here names one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hotloop.core import paths
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge import levels as judged
from hotloop.judge.lacking import COMPILER
from hotloop.judge.spec import RungSpec, TaskSpec
from hotloop.yaml_lines import CurriculumError, load

__all__ = [
    "Curriculum",
    "CurriculumError",
    "Module",
    "Run",
    "Rung",
    "Score",
    "Task",
    "curriculum",
    "load_module",
    "modules",
    "runs",
    "score",
    "settle",
]

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
TaskKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Tier = Literal["beginner", "intermediate", "advanced"]
OneToFive = Annotated[int, Field(ge=1, le=5)]
Rubric = dict[Annotated[int, Field(ge=0, le=4)], Text]
Need = Literal[
    "serving",
    "cuda",
    "onnx",
    "onnx_custom",
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
]
"""What is installed apart from Hotloop's packages; `hotloop doctor` finds it by this name."""


class Strict(BaseModel):
    """A file's form: unknown keys are refused, and what was read does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- curriculum.yaml ------------------------------------------------------------------------------


class Track(Strict):
    """A way through the modules, in order. A planned module may be named before it exists."""

    id: Identifier
    title: Text
    summary: Text
    modules: list[Identifier]


class Concept(Strict):
    """An idea that modules teach, and that prerequisites are expressed in."""

    id: Identifier
    title: Text
    summary: Text


class Curriculum(Strict):
    """curriculum.yaml."""

    title: Text
    tiers: list[Tier]
    tracks: list[Track]
    concepts: list[Concept]

    @property
    def order(self) -> list[str]:
        """Ids of all modules, planned ones too: track by track, in the tracks' order."""
        return [module for track in self.tracks for module in track.modules]


# --- module.yaml ----------------------------------------------------------------------------------


class Level(Strict):
    """A ratio to the baseline, and the share of the rung's points that reaching it earns."""

    ratio: Annotated[float, Field(gt=0)]
    earned: Annotated[float, Field(gt=0, le=1)]


class Threshold(Strict):
    """What a speed rung asks for, and why.

    stretch: a ratio beyond the levels, which earns nothing and is worth knowing. provisional: not
    yet settled by a recorded run.
    """

    against: Text
    levels: Annotated[list[Level], Field(min_length=1)]
    stretch: Annotated[float, Field(gt=0)] | None = None
    provisional: bool
    reason: Text

    @property
    def shares(self) -> tuple[judged.Level, ...]:
        """The levels as the judge takes them, the stretch goal among them."""
        promised = [judged.Level(level.ratio, level.earned) for level in self.levels]
        beyond = [] if self.stretch is None else [judged.Level(self.stretch, 0.0)]
        return (*promised, *beyond)


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


class Task(Strict):
    """One graded task. minutes: a learner's time; files: the files that the learner edits, the one
    that holds `entry` last; builds_on: tasks without whose solution this one cannot be passed.
    """

    id: Identifier
    title: Text
    goal: Text
    minutes: Annotated[int, Field(ge=1)]
    difficulty: OneToFive
    importance: OneToFive
    kind: Literal["code", "written"]
    entry: Text | None = None
    files: Annotated[list[Text], Field(min_length=1)]
    builds_on: list[Identifier] = Field(default_factory=list)
    hints: Annotated[list[Text], Field(min_length=3, max_length=3)]
    rungs: Annotated[list[Rung], Field(min_length=1)]
    rubric: Rubric = Field(default_factory=dict[int, str])

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if self.kind == "written" and set(self.rubric) != set(range(5)):
            raise ValueError("a written task needs a rubric with the marks 0 to 4")
        if self.kind == "code" and self.entry is None:
            raise ValueError("a code task names its `entry`, the function that is judged")
        refuse_repeats("rung", [rung.id for rung in self.rungs])
        return self

    @property
    def points(self) -> int:
        """The points of the task's graded cell."""
        return sum(rung.points for rung in self.rungs)


class Prerequisites(Strict):
    """What a learner brings along."""

    modules: list[Identifier] = Field(default_factory=list)
    knowledge: list[Text] = Field(default_factory=list)


class Hardware(Strict):
    """What the module was made for. `without_gpu` says what a learner without one can earn."""

    cpu_cores: int
    memory_gib: float
    gpu: Text
    without_gpu: Text


class Deprecation(Strict):
    """A way that learners will still meet, and what replaces it."""

    what: Text
    since: Text
    instead: Text


class Version(Strict):
    """A tool that the module depends on. tried: versions that it was run with."""

    tool: Text
    supported: Text
    tried: list[Text]
    notes: Text | None = None
    deprecations: list[Deprecation] = Field(default_factory=list[Deprecation])


class Module(Strict):
    """module.yaml. needs: what grading its code tasks takes, beside Hotloop's packages."""

    id: Identifier
    title: Text
    track: Identifier
    tier: Tier
    summary: Text
    prerequisites: Prerequisites
    concepts: Annotated[list[Identifier], Field(min_length=1)]
    tasks: Annotated[list[Task], Field(min_length=1)]
    hardware: Hardware
    needs: list[Need] = Field(default_factory=list[Need])
    versions: list[Version]

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        refuse_repeats("task", [task.id for task in self.tasks])
        refuse_repeats("need", list(self.needs))
        for number, task in enumerate(self.tasks):
            before = {earlier.id for earlier in self.tasks[:number]}
            if unknown := [name for name in task.builds_on if name not in before]:
                raise ValueError(f"{task.id} builds on {unknown[0]}, which is no task before it")
        return self

    @property
    def points(self) -> int:
        """All points of the module."""
        return sum(task.points for task in self.tasks)

    @property
    def minutes(self) -> int:
        """A learner's time for all tasks."""
        return sum(task.minutes for task in self.tasks)

    def needs_of(self, rung: Rung) -> list[Need]:
        """What judging `rung` takes."""
        return self.needs if rung.needs is None else rung.needs

    def spec(self, name: str) -> TaskSpec:
        """What the judge must know of the code task called `name`. KeyError as `task`."""
        task = self.task(name)
        rungs = {rung.id: self._rung_spec(rung) for rung in task.rungs}
        return TaskSpec(task.entry or "", tuple(task.files), rungs, tuple(self.needs))

    def _rung_spec(self, rung: Rung) -> RungSpec:
        needs = (*self.needs_of(rung), *([COMPILER] if rung.needs_compiler else []))
        return RungSpec(needs, () if rung.threshold is None else rung.threshold.shares)

    def task(self, name: str) -> Task:
        """The task called `name`. KeyError names those that there are."""
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks)
        raise KeyError(f"module {self.id} has no task {name!r}; it has {known}")


# --- runs/<device>.json ---------------------------------------------------------------------------


class Ratio(Strict):
    """Baseline's time over candidate's: the estimate and its 95 % interval."""

    estimate: float
    low: float
    high: float


class Measurement(Strict):
    """One rung of one solution. candidate: `reference`, or the name of a wrong answer.

    shape, dtype, threads: what a speed figure was measured on. Times are milliseconds a call.
    """

    candidate: Text
    task: Identifier
    rung: Identifier
    verdict: Verdict
    earned: float
    sentence: Text
    shape: list[int] | None = None
    dtype: Text | None = None
    threads: int | None = None
    p20_ms: float | None = None
    p50_ms: float | None = None
    p80_ms: float | None = None
    baseline_p50_ms: float | None = None
    ratio: Ratio | None = None
    gb_per_s: float | None = None
    gflop_per_s: float | None = None
    fraction_of_limit: float | None = None


class Run(Strict):
    """What `hotloop evidence` measured on one device. Never written by hand.

    code: the digest of the solutions and checks that it measured (hotloop.measured_code); the first
    runs have none.
    """

    format: Literal[1]
    module: Identifier
    device: Text
    kind: Literal["cpu", "gpu"]
    driver: str
    date: date
    libraries: dict[str, str]
    code: Text | None = None
    isolation: Text
    ceilings: dict[str, float]
    measurements: list[Measurement]


# --- finding and loading --------------------------------------------------------------------------


@cache
def curriculum() -> Curriculum:
    """curriculum.yaml. CurriculumError when it is not as it must be."""
    return load(paths.curriculum() / "curriculum.yaml", Curriculum)


def modules() -> list[Module]:
    """All modules on disk, in the curriculum's order; those that it does not name come last."""
    found = sorted(path.parent.name for path in paths.curriculum().glob("*/module.yaml"))
    place = {name: index for index, name in enumerate(curriculum().order)}
    found.sort(key=lambda name: place.get(name, len(place)))
    return [load_module(name) for name in found]


@cache
def load_module(name: str) -> Module:
    """The module called `name`. KeyError when there is none, CurriculumError when it is faulty."""
    path = folder(name) / "module.yaml"
    module = load(path, Module)
    if module.id != name:
        raise CurriculumError(f"{path}:1: id is {module.id!r} and must be the folder's {name!r}")
    return module


def runs(name: str) -> list[Run]:
    """The recorded measurements of the module called `name`, by device; empty if there are none."""
    return [load(path, Run) for path in sorted((folder(name) / "runs").glob("*.json"))]


def folder(name: str) -> Path:
    """curriculum/<name>. KeyError names the modules that there are."""
    path = paths.curriculum() / name
    if not (path / "module.yaml").is_file():
        known = sorted(p.parent.name for p in paths.curriculum().glob("*/module.yaml"))
        raise KeyError(f"there is no module {name!r}; there are: {', '.join(known)}")
    return path


# --- points ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """points: earned so far; pending: those still open; possible: all of the task's."""

    points: float
    pending: float
    possible: float


def score(module_task: str, record: Record | None) -> Score:
    """The points that `record` earns for the task `module.task`.

    A rung that the record does not speak of is pending, and so is all without a record: silence is
    no evidence. ValueError when the record is about something else.
    """
    module_id, _, task_id = module_task.partition(".")
    task = load_module(module_id).task(task_id)
    if record is None:
        return Score(0.0, float(task.points), float(task.points))
    if (record.module, record.task) != (module_id, task_id):
        raise ValueError(f"the record is about {record.module}.{record.task}, not {module_task}")
    # "judge" stands for all rungs when the judge itself failed: they stay pending.
    known = {rung.id for rung in task.rungs} | {"judge"}
    if strange := sorted({r.rung for r in record.rungs} - known):
        raise ValueError(f"{module_task} has no rung called {', '.join(strange)}")
    return _add(task, {r.rung: (r.earned, r.verdict.pending) for r in record.rungs})


def settle(module: Module, task: str, record: Record | None) -> Score:
    """The points of a task. Rungs that the record does not speak of are pending."""
    if record is None:
        return score(f"{module.id}.{task}", None)
    known = {rung.id for rung in module.task(task).rungs}
    # A judge that was lost speaks of no rung of the task: then all of them are open.
    spoken = tuple(rung for rung in record.rungs if rung.rung in known)
    return score(f"{module.id}.{task}", replace(record, rungs=spoken))


def _add(task: Task, judged: Mapping[str, tuple[float, bool]]) -> Score:
    points = pending = 0.0
    for rung in task.rungs:
        earned, is_open = judged.get(rung.id, (0.0, True))
        if is_open:
            pending += rung.points
        else:
            points += earned * rung.points
    return Score(points, pending, float(task.points))


def refuse_repeats(what: str, names: list[str]) -> None:
    """ValueError when a name is there twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is there twice")
