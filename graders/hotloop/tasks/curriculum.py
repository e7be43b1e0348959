"""The curriculum's data files as typed objects: tracks, modules, tasks, recorded runs.

`curriculum.yaml` defines the order. Modules are found on disk; no code here names one.
"""

from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from hotloop.core import paths
from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.verdict import Verdict
from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.tasks.problem import JudgedTask, TaskSet

TaskKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]
Tier = Literal["beginner", "intermediate", "advanced"]
OneToFive = Annotated[int, Field(ge=1, le=5)]
Rubric = dict[Annotated[int, Field(ge=0, le=4)], Text]


# --- curriculum.yaml ------------------------------------------------------------------------------


class Track(Strict):
    """A path through the modules, in order. A planned module can be listed before it exists."""

    id: Identifier
    title: Text
    summary: Text
    modules: list[Identifier]


class Concept(Strict):
    """An idea that modules teach."""

    id: Identifier
    title: Text
    summary: Text


class Role(Strict):
    """A job, with the modules that prepare for its interviews.

    tracks: those whose questions without a module also fit.
    """

    id: Identifier
    title: Text
    modules: list[Identifier]
    tracks: list[Identifier] = Field(default_factory=list[str])


class Curriculum(Strict):
    """The content of curriculum.yaml."""

    title: Text
    tiers: list[Tier]
    tracks: list[Track]
    roles: list[Role] = Field(default_factory=list[Role])
    concepts: list[Concept]

    @property
    def order(self) -> list[str]:
        """Ids of all modules, including planned ones: track by track, in the tracks' order."""
        return [module for track in self.tracks for module in track.modules]


# --- module.yaml ----------------------------------------------------------------------------------


class Task(JudgedTask):
    """One graded task.

    minutes: a learner's time. builds_on: tasks that must be solved for this one to pass.
    """

    goal: Text
    minutes: Annotated[int, Field(ge=1)]
    difficulty: OneToFive
    importance: OneToFive
    builds_on: list[Identifier] = Field(default_factory=list)
    hints: Annotated[list[Text], Field(min_length=3, max_length=3)]
    rubric: Rubric = Field(default_factory=dict[int, str])

    @model_validator(mode="after")
    def _can_be_marked(self) -> Self:
        if self.kind == "written" and set(self.rubric) != set(range(5)):
            raise ValueError("a written task needs a rubric with the marks 0 to 4")
        return self


class Prerequisites(Strict):
    """What a learner needs beforehand."""

    modules: list[Identifier] = Field(default_factory=list)
    knowledge: list[Text] = Field(default_factory=list)


class Hardware(Strict):
    """The hardware the module was made for. `without_gpu`: what a learner without one can earn."""

    cpu_cores: int
    memory_gib: float
    gpu: Text
    without_gpu: Text


class Deprecation(Strict):
    """A deprecated practice that learners will still meet, and its replacement."""

    what: Text
    since: Text
    instead: Text


class Version(Strict):
    """A tool that the module depends on. tried: versions with which the module was run."""

    tool: Text
    supported: Text
    tried: list[Text]
    notes: Text | None = None
    deprecations: list[Deprecation] = Field(default_factory=list[Deprecation])


class Part(Strict):
    """A group of consecutive tasks, starting with `first`, in a module that takes days."""

    title: Text
    first: Identifier


class Module(TaskSet[Task]):
    """The content of module.yaml. take_home: tasks that a new take-home's role asks for first."""

    track: Identifier
    tier: Tier
    summary: Text
    prerequisites: Prerequisites
    concepts: Annotated[list[Identifier], Field(min_length=1)]
    hardware: Hardware
    versions: list[Version]
    parts: list[Part] = Field(default_factory=list[Part])
    take_home: list[Identifier] = Field(default_factory=list)

    @model_validator(mode="after")
    def _asks_for_its_own_tasks(self) -> Self:
        if unknown := set(self.take_home) - {task.id for task in self.tasks}:
            raise ValueError(f"take_home names {min(unknown)}, which is no task")
        return self

    @model_validator(mode="after")
    def _builds_on_what_came_before(self) -> Self:
        for number, task in enumerate(self.tasks):
            before = {earlier.id for earlier in self.tasks[:number]}
            if unknown := [name for name in task.builds_on if name not in before]:
                raise ValueError(f"{task.id} builds on {unknown[0]}, which is no task before it")
        return self

    @model_validator(mode="after")
    def _parts_cover_the_tasks(self) -> Self:
        places = [task.id for task in self.tasks]
        if unknown := [part.first for part in self.parts if part.first not in places]:
            raise ValueError(f"a part begins with {unknown[0]}, which is no task")
        firsts = [places.index(part.first) for part in self.parts]
        if firsts and (firsts[0] != 0 or firsts != sorted(set(firsts))):
            raise ValueError("the first part begins with the first task, each other one later")
        return self

    @property
    def tasks_by_part(self) -> list[tuple[str, list[Task]]]:
        """Title and tasks of each part; if there are no parts, all tasks with the title ""."""
        parts: list[tuple[str, list[Task]]] = [] if self.parts else [("", [])]
        titles = {part.first: part.title for part in self.parts}
        for task in self.tasks:
            if task.id in titles:
                parts.append((f"Part {len(parts) + 1}: {titles[task.id]}", []))
            parts[-1][1].append(task)
        return parts

    @property
    def minutes(self) -> int:
        """A learner's time for all tasks, in minutes."""
        return sum(task.minutes for task in self.tasks)


def hours(tasks: Iterable[Task]) -> str:
    """Return the hours for some tasks, rounded to half hours, such as `3½`; used on every page."""
    halves = round(sum(task.minutes for task in tasks) / 30)
    return f"{halves // 2}{'½' if halves % 2 else ''}"


# --- runs/<device>.json ---------------------------------------------------------------------------


class Ratio(Strict):
    """The baseline's time divided by the candidate's: the estimate and its 95 % interval."""

    estimate: float
    low: float
    high: float


class Measurement(Strict):
    """The result of one check for one solution. candidate: `reference`, or a wrong answer's name.

    shape, dtype, threads: what a speed was measured on. Times are milliseconds per call.
    judging_s: seconds that judging took. earlier: which of the run's `earlier` it is from; None if
    it is from the run itself.
    """

    candidate: Text
    task: Identifier
    check: Identifier
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
    judging_s: float | None = None
    earlier: Annotated[int, Field(ge=0)] | None = None


class EarlierRun(Strict):
    """Under which circumstances measurements were made that no later run has replaced."""

    driver: str
    date: date
    libraries: dict[str, str]
    code: Text | None = None
    isolation: Text


class RecordedRun(Strict):
    """The measurements of `hotloop author evidence` on one device. Never written by hand.

    code: digest of the measured solutions and checks (`measured_code`); None in the oldest runs.
    earlier: the circumstances of measurements of other code, other versions or another day, which
    stay until they are made again.
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
    earlier: list[EarlierRun] = Field(default_factory=list[EarlierRun])

    @model_validator(mode="after")
    def _names_what_is_there(self) -> Self:
        if any(m.earlier is not None and m.earlier >= len(self.earlier) for m in self.measurements):
            raise ValueError("a measurement is of an earlier run that is not listed")
        return self

    def made_by(self, measurement: Measurement) -> "RecordedRun | EarlierRun":
        """Return the run that made one of the measurements."""
        return self if measurement.earlier is None else self.earlier[measurement.earlier]


# --- finding and loading --------------------------------------------------------------------------


@cache
def curriculum() -> Curriculum:
    """Return the content of curriculum.yaml. Raises CurriculumError if it is invalid."""
    return load(paths.curriculum() / "curriculum.yaml", Curriculum)


def names() -> list[str]:
    """Return the ids of all modules on disk, in the curriculum's order; others come last."""
    there = sorted(path.parent.name for path in paths.curriculum().glob("*/module.yaml"))
    place = {name: index for index, name in enumerate(curriculum().order)}
    return sorted(there, key=lambda name: place.get(name, len(place)))


def modules() -> list[Module]:
    """Return all modules on disk, as `names` sorts them."""
    return [load_module(name) for name in names()]


@cache
def load_module(name: str) -> Module:
    """Return the module called `name`.

    Raises KeyError if there is none, CurriculumError if it is invalid.
    """
    path = folder(name) / "module.yaml"
    module = load(path, Module)
    if module.id != name:
        raise CurriculumError(f"{path}:1: id is {module.id!r} and must be the folder's {name!r}")
    return module


def runs(name: str) -> list[RecordedRun]:
    """Return the recorded measurements of the module `name`, by device; empty if there are none."""
    return [load(path, RecordedRun) for path in sorted((folder(name) / "runs").glob("*.json"))]


def folder(name: str) -> Path:
    """Return curriculum/<name>. Raises KeyError that lists the existing modules."""
    path = paths.curriculum() / name
    if not (path / "module.yaml").is_file():
        known = sorted(p.parent.name for p in paths.curriculum().glob("*/module.yaml"))
        raise KeyError(f"there is no module {name!r}; there are: {', '.join(known)}")
    return path
