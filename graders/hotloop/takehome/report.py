"""The report on one submission, `report.json`. `hotloop takehome grade --schema` prints its schema.

It holds the judge's records whole, so that points, intervals and pictures follow from it, and no
name: who is meant says the pseudonym only. What a candidate gets as accommodation is not in it.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BeforeValidator, Field, PlainSerializer, TypeAdapter, ValidationError

from hotloop.bank.question import WeakAnswer
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.curriculum import Rubric, Task, TaskKey, Tier
from hotloop.practice.moment import Moment
from hotloop.predicting.scores import VivaScore
from hotloop.problem import Identifier, Rung, Strict, Text
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.intervals import Interval
from hotloop.takehome.manifest import Assistants, Digest, Pseudonym, RoleId

FORMAT = 1
JSON_NAME = "report.json"
HTML_NAME = "report.html"
CONFINED = "bubblewrap"
"""The level of isolation at which verdicts are evidence."""

LONGEST = 64 << 20
"""Bytes of a report that is read. The samples of every speed rung are in it."""


class UnreadableReport(UserError):
    """What was given is no report. The text is one sentence."""


def _record(value: object) -> object:
    """A record from a file is read as strictly as the judge's own."""
    if not isinstance(value, Mapping):
        return value
    try:
        return Record.from_json(cast("Mapping[str, Any]", value))
    except (TypeError, KeyError) as error:
        raise ValueError(f"no record of the judge: {error}") from None


def _plain(record: Record) -> dict[str, Any]:
    return record.to_json()


JudgeRecord = Annotated[
    Record, BeforeValidator(_record), PlainSerializer(_plain, return_type=dict[str, Any])
]


Skill = Literal[
    "right", "economical", "clean", "compiles", "fast_cpu", "gpu_right", "fast_gpu", "explains"
]

TITLES: dict[Skill, str] = {
    "right": "Right results on unseen inputs",
    "economical": "Economical: few bytes and operations",
    "clean": "Safe: no race, nothing out of bounds",
    "compiles": "Compiles for what it must run on",
    "fast_cpu": "Fast on a CPU",
    "gpu_right": "Right on a GPU",
    "fast_gpu": "Fast on a GPU",
    "explains": "Explains in writing",
}
"""In the ladder's order."""

_BY_RUNG: dict[str, Skill] = {
    "traffic": "economical",
    "cheap": "economical",
    "costs": "economical",
    "memory": "economical",
    "batches": "economical",
    "clean": "clean",
    "compiles": "compiles",
    "compiled": "compiles",
    "exported": "compiles",
    "legalized": "compiles",
    "builds": "compiles",
}


def skill(task: Task, rung: Rung) -> Skill:
    """Which one the rung shows. What has no other name is about right results."""
    if task.kind == "written":
        return "explains"
    if rung.threshold is not None:
        return "fast_gpu" if rung.needs_gpu else "fast_cpu"
    if rung.id in _BY_RUNG:
        return _BY_RUNG[rung.id]
    return "gpu_right" if rung.needs_gpu else "right"


class RungReport(Strict):
    """One rung. counted: whether it has a part in the score; what: what the rung asks."""

    rung: Identifier
    what: Text
    skill: Skill
    verdict: Verdict
    sentence: str
    counted: bool
    points: Interval
    possible: float


class SpeedRate(Strict):
    """How often speed was judged wrongly where the truth was known, 10 % off a level, on a CPU."""

    judgings: int
    wrong: int
    undecided: int
    rate: Interval | None
    device: str
    date: str


class VariantTrials(Strict):
    """What came of the reference and the wrong answers in many candidates' variants, each time with
    fresh inputs.

    wrong_fail_rate: 95 % interval. wrong_judgings: of all known wrong answers together;
    wrong_failed: where each must fail, and nowhere before. left_out: rungs that measure speed or
    need a GPU. older: the code has changed since.
    """

    variants: int
    references: int
    references_passed: int
    wrong_fail_rate: Interval | None
    wrong_judgings: int
    wrong_failed: int
    left_out: list[str]
    device: str
    date: str
    older: bool


class MutantTrials(Strict):
    """Systematic small mistakes in the task's reference, each judged several times.

    wrong: mutants that are wrong by the task's text. passed: those of them that passed at least
    once; rate: its 95 % interval. older: the code has changed since.
    """

    wrong: int
    passed: int
    rate: Interval | None
    judgings: int
    device: str
    date: str
    older: bool


class CheckQuality(Strict):
    """How strong the checks of a task are: wrong answers that passed, references that failed.

    wrong_passed, reference_failed: where it happened, in words. rates: 95 % intervals. measured:
    on which device and when; older: the code has changed since. speed: for what is timed on a CPU.
    gpu_speed_unmeasured: a rung is timed on a GPU, and how often that is judged wrongly is unknown.
    variants: beside the exercise as it is published, in which all of that was counted. mutants: of
    the reference, beside the wrong answers that were written by hand.
    """

    wrong_answers: int
    wrong_passed: list[str]
    wrong_pass_rate: Interval | None
    references: int
    reference_failed: list[str]
    wrong_fail_rate: Interval | None
    measured: list[str]
    older: bool
    speed: SpeedRate | None = None
    gpu_speed_unmeasured: bool = False
    variants: VariantTrials | None = None
    mutants: MutantTrials | None = None


class CodeShown(Strict):
    """One file that was handed in, or one cell: `lab.ipynb · online_pass`.

    lines: as they were judged, numbered from 1. added: those that the starter has not, for this
    task; elsewhere: for other tasks in the same file. removed: by the line before which they stood,
    lines that only the starter has. cited: by rung, lines that its sentence names. left_out: lines
    at the end that are not shown.
    """

    name: Text
    lines: list[str]
    added: list[int]
    removed: dict[int, list[str]]
    elsewhere: list[int] = Field(default_factory=list[int])
    cited: dict[Identifier, list[int]] = Field(default_factory=dict[str, list[int]])
    left_out: int = 0


class TaskReport(Strict):
    """One task. share: of its points that count, 0 to 1; None where nothing of it counts.

    answer: what the candidate wrote, for a written task, and its rubric. active_minutes: estimated
    from the work log, None without one. code: what was written for it.
    """

    task: Identifier
    title: Text
    goal: Text
    kind: Literal["code", "written"]
    weight: Annotated[float, Field(gt=0)]
    verdict: Verdict | None
    sentence: str
    points: Interval
    possible: float
    share: Interval | None
    rungs: list[RungReport]
    record: JudgeRecord | None
    answer: str | None = None
    rubric: Rubric = Field(default_factory=dict[int, str])
    active_minutes: float | None = None
    checks: CheckQuality | None = None
    code: list[CodeShown] = Field(default_factory=list[CodeShown])


class SkillReport(Strict):
    """One skill over all tasks. points: of `possible`, by the points of the module."""

    skill: Skill
    title: Text
    points: Interval
    possible: float
    tasks: list[Identifier]


class Environment(Strict):
    """Where it was judged, and under what confinement."""

    hotloop: str
    device: str
    driver: str
    libraries: dict[str, str]
    isolation: str
    started: str
    judging_seconds: float


class NotMeasured(Strict):
    """What is open, and why."""

    task: Identifier
    rung: Identifier
    verdict: Verdict
    sentence: str
    points: float


class FollowUp(Strict):
    """A question for the interview, with what to listen for.

    why: what it was chosen for. code: the candidate's own lines that it is about, with their
    numbers; where: their file. Both empty for a question of the bank. key: `task.id` for the
    former, `module.id` for the latter.
    """

    key: TaskKey
    title: Text
    level: Tier
    minutes: int
    why: Text
    weak: bool
    prompt: Text
    where: str = ""
    code: str = ""
    probes: list[Text]
    answer: Text
    weak_answers: list[WeakAnswer]
    follow_ups: list[Text]
    rubric: Rubric


class SubmissionFacts(Strict):
    """What was handed in, in time: otherwise it would not have been taken.

    By when it was due is not said, since that tells who was given more time. altered: given files
    that came back changed; judged as they were. other_checks: judged by other checks than Hotloop
    had when the pack was made. notes: what was amiss with the notebook, and how it was read.
    """

    digest: Digest
    received: Moment
    handed_in: list[str]
    altered: list[str]
    work_log: Literal["none", "whole", "broken"]
    other_checks: bool = False
    notes: list[str] = Field(default_factory=list)


class AssistantNote(Strict):
    """One file of the folder for notes and transcripts. text: long ones are cut."""

    name: Text
    text: str


class AssistantUse(Strict):
    """rule: the role's. notes: what was handed in about the work with assistants."""

    rule: Assistants
    notes: list[AssistantNote]


Position = Literal["below", "overlaps", "within", "above"]


class BaselinePlace(Strict):
    """What one model alone scored on packs of this role, and where the candidate lies: beside all
    attempts, among them, or partly.

    span: from the lowest to the highest attempt; own: the candidate's; both of 100, by the judge,
    without the rungs that are left out because they are open for all. turns: replies that an
    attempt had. older: the checks have changed since. hard: tasks that it mostly failed.
    """

    model: Text
    made: Moment
    attempts: Annotated[int, Field(ge=1)]
    turns: Annotated[int, Field(ge=1)]
    span: Interval
    own: Interval
    position: Position
    left_out: list[str]
    older: bool
    hard: list[Identifier]


class Reproduction(Strict):
    """How to grade it again. module_digest: of the judge and of the module's checks."""

    command: Text
    hotloop: str
    grader_digest: str
    module_digest: str
    variant: str


class Report(Strict):
    """report.json. score: of 100, weighted by task; judged: likewise, without what people read.

    viva: what had been filed when the report was made; it moves no score.
    """

    format: Literal[1] = FORMAT
    made: Moment
    pack: UUID
    pseudonym: Pseudonym
    role: RoleId
    title: Text
    module: Identifier
    module_title: Text
    submission: SubmissionFacts
    score: Interval
    judged: Interval
    tasks: list[TaskReport]
    skills: list[SkillReport]
    not_measured: list[NotMeasured]
    environment: Environment
    strengths: list[str]
    weak_spots: list[str]
    follow_ups: list[FollowUp]
    signals: list[Signal]
    assistants: AssistantUse
    baselines: list[BaselinePlace]
    reproduce: Reproduction
    viva: VivaScore | None = None

    def task(self, name: str) -> TaskReport:
        """The task called `name`. KeyError when the role has none of that name."""
        for task in self.tasks:
            if task.task == name:
                return task
        raise KeyError(name)

    def records(self) -> dict[str, Record]:
        """What the judge wrote, by task."""
        return {task.task: task.record for task in self.tasks if task.record is not None}


def to_json(report: Report) -> str:
    """The file's text."""
    document = _finite(report.model_dump(mode="json"))
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_report(path: Path) -> Report:
    """A report from a file. UnreadableReport when it is none."""
    try:
        if path.stat().st_size > LONGEST:
            raise UnreadableReport(f"{path} is too large for a report.")
        return Report.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnreadableReport(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:120]
        raise UnreadableReport(f"{path} is no report: {where}: {first['msg']}.") from None


def schema() -> dict[str, Any]:
    """JSON Schema of report.json (draft 2020-12)."""
    found = TypeAdapter(Report).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Report on a take-home exercise, by Hotloop",
        **{key: value for key, value in found.items() if key != "title"},
    }


def _finite(value: object) -> object:
    """JSON has no NaN and no infinity; a figure that is one is no figure."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in cast("Sequence[object]", value)]
    return value
