"""A learner's progress from the records on this machine: by task, module, track and concept.

A task is done if everything that this machine can measure of it passed at least once. A concept has
the level of its module that is furthest along: tasks and questions do not name single concepts, so
nothing finer is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.learning.graph import way
from hotloop.learn.practice import verdicts
from hotloop.learn.practice.state import PracticeRecord
from hotloop.learn.practice.verdicts import VerdictLine
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Concept, Module, Task
from hotloop.verdicts.words import NOT_STARTED

GOOD_MARK = 3
ENOUGH_QUESTIONS = 3

Level = Literal["not begun", "placed", "begun", "known", "firm"]
LEVELS: tuple[Level, ...] = ("not begun", "placed", "begun", "known", "firm")

MEANING = (
    "begun: something was checked or practiced. placed: a placement test found it known. "
    f"known: all tasks done, or {ENOUGH_QUESTIONS} questions practiced with a mean of "
    f"{GOOD_MARK} or more. firm: both."
)


@dataclass(frozen=True)
class TaskStanding:
    """A task, its last verdict and its best one."""

    key: str
    task: Task
    last: VerdictLine | None
    best: VerdictLine | None

    @property
    def done(self) -> bool:
        """True if everything that could be measured passed at least once."""
        return self.best is not None and self.best.done

    @property
    def state(self) -> str:
        """The words of its last verdict, as the notebook shows them."""
        return NOT_STARTED if self.last is None else self.last.words


@dataclass(frozen=True)
class Practised:
    """Practice with a set of questions. mean: of each question's last mark."""

    of: int
    practised: int
    due: int
    mean: float | None

    @property
    def good(self) -> bool:
        """True if enough questions were practised with a good enough mean."""
        return self.practised >= min(ENOUGH_QUESTIONS, self.of) > 0 and (self.mean or 0) >= (
            GOOD_MARK
        )


@dataclass(frozen=True)
class ModuleStanding:
    """Progress in a module. placed: a placement test put the learner past it."""

    module: Module
    tasks: tuple[TaskStanding, ...]
    questions: Practised
    placed: bool

    @property
    def graded(self) -> tuple[TaskStanding, ...]:
        """The tasks that the judge grades; people grade the others."""
        return tuple(each for each in self.tasks if each.task.kind == "code")

    @property
    def done(self) -> int:
        """Number of graded tasks that are done."""
        return sum(each.done for each in self.graded)

    @property
    def complete(self) -> bool:
        """True if all graded tasks are done."""
        return bool(self.graded) and self.done == len(self.graded)

    @property
    def begun(self) -> bool:
        """True if any of its tasks was started."""
        return any(each.done or each.state != NOT_STARTED for each in self.tasks)

    @property
    def level(self) -> Level:
        """The level from tasks and questions; MEANING explains the levels."""
        good = self.questions.good
        if self.complete and good:
            return "firm"
        if self.complete or good:
            return "known"
        if self.begun or self.questions.practised:
            return "begun"
        return "placed" if self.placed else "not begun"


@dataclass(frozen=True)
class ConceptStanding:
    """A concept and the modules that teach it."""

    concept: Concept
    modules: tuple[ModuleStanding, ...]

    @property
    def level(self) -> Level:
        """The level of the module that is furthest along."""
        return LEVELS[max(LEVELS.index(each.level) for each in self.modules)]


@dataclass(frozen=True)
class TrackStanding:
    """Progress in a track: its modules, and all its questions, including its modules'.

    placed_at, start: of the last placement test; start is also None if no module was left.
    """

    id: str
    title: str
    modules: tuple[ModuleStanding, ...]
    questions: Practised
    placed_at: datetime | None
    start: str | None

    @property
    def begun(self) -> bool:
        """True if anything of it was checked, practised or placed."""
        return (
            self.placed_at is not None
            or self.questions.practised > 0
            or any(each.begun for each in self.modules)
        )


@dataclass(frozen=True)
class ProgressOverview:
    """Progress in all tracks and concepts. due: number of questions to review now."""

    tracks: tuple[TrackStanding, ...]
    concepts: tuple[ConceptStanding, ...]
    due: int

    @property
    def modules(self) -> Mapping[str, ModuleStanding]:
        """The modules by name, in the curriculum's order."""
        return {each.module.id: each for track in self.tracks for each in track.modules}


def overview(
    state: PracticeRecord, lines: Sequence[VerdictLine], now: datetime
) -> ProgressOverview:
    """Compute the overview from the records of practice and of verdicts."""
    skipped = _skipped(state)
    last, best = verdicts.latest(lines), verdicts.best(lines)
    entries = catalog.catalog()

    def of_module(module: Module) -> ModuleStanding:
        own = [entry for entry in entries if entry.module == module.id]
        keys = [(f"{module.id}.{task.id}", task) for task in module.tasks]
        tasks = tuple(TaskStanding(k, task, last.get(k), best.get(k)) for k, task in keys)
        return ModuleStanding(module, tasks, _practised(own, state, now), module.id in skipped)

    modules = [of_module(module) for module in curriculum.modules()]
    tracks: list[TrackStanding] = []
    for track in curriculum.curriculum().tracks:
        placement = next((p for p in reversed(state.placements) if p.track == track.id), None)
        tracks.append(
            TrackStanding(
                track.id,
                track.title,
                tuple(each for each in modules if each.module.track == track.id),
                _practised([entry for entry in entries if entry.track == track.id], state, now),
                placement.at if placement else None,
                placement.start if placement else None,
            )
        )
    due = _practised(entries, state, now).due
    return ProgressOverview(tuple(tracks), tuple(_concepts(modules)), due)


def _practised(entries: Sequence[CatalogEntry], state: PracticeRecord, now: datetime) -> Practised:
    last = {review.question: review.mark for review in state.reviews}
    marks = [last[entry.key] for entry in entries if entry.key in last]
    mean = sum(marks) / len(marks) if marks else None
    due = sum(state.is_due(entry.key, now) for entry in entries)
    return Practised(len(entries), len(marks), due, mean)


def _concepts(modules: Sequence[ModuleStanding]) -> list[ConceptStanding]:
    """Return the concepts that a module teaches, in the curriculum's order."""
    found = [
        ConceptStanding(concept, tuple(m for m in modules if concept.id in m.module.concepts))
        for concept in curriculum.curriculum().concepts
    ]
    return [each for each in found if each.modules]


def _skipped(state: PracticeRecord) -> set[str]:
    """Return the modules that the last placement of each track found to be known."""
    skipped: set[str] = set()
    for placement in {placement.track: placement for placement in state.placements}.values():
        for module in way(placement.track):
            if module.id == placement.start:
                break
            if module.tier in placement.known:
                skipped.add(module.id)
    return skipped
