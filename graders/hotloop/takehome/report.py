"""The report on one submission, `report.json`. `hotloop takehome grade --schema` prints its schema.

It contains the judge's complete records, from which points, intervals and pictures are derived, and
the candidate's pseudonym, but no name and no accommodation.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BeforeValidator, Field, PlainSerializer, TypeAdapter, ValidationError

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.intervals import Interval
from hotloop.core.moment import Moment
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.learn.bank.question import WeakAnswer
from hotloop.learn.pack.manifest import Assistants, Digest, Pseudonym, RoleId
from hotloop.learn.predicting.scores import VivaScore
from hotloop.takehome.integrity.signal import Signal
from hotloop.tasks.curriculum import Rubric, Task, TaskKey, Tier
from hotloop.tasks.problem import CheckEntry

FORMAT = 1
JSON_NAME = "report.json"
HTML_NAME = "report.html"
CONFINED = "bubblewrap"
"""Isolation level at which verdicts count as evidence."""

LONGEST = 64 << 20
"""Most bytes of a report to read; it contains the samples of every speed check."""

GOOD = 0.9
"""Share of the points from which something went well."""


class UnreadableReport(UserError):
    """The file is not a report. The text is one sentence."""


def _record(value: object) -> object:
    """Parse a record as strictly as the judge's own."""
    if not isinstance(value, Mapping):
        return value
    try:
        return Record.from_json(cast("Mapping[str, Any]", value))
    except (TypeError, KeyError) as error:
        raise ValueError(f"no record of the judge: {error}") from None


JudgeRecord = Annotated[
    Record, BeforeValidator(_record), PlainSerializer(Record.to_json, return_type=dict[str, Any])
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
"""Titles by skill, in the order of the levels of checks."""

_BY_CHECK: dict[str, Skill] = {
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


def skill(task: Task, check: CheckEntry) -> Skill:
    """Return the skill that a check shows; the default is correct results."""
    if task.kind == "written":
        return "explains"
    if check.threshold is not None:
        return "fast_gpu" if check.needs_gpu else "fast_cpu"
    if check.id in _BY_CHECK:
        return _BY_CHECK[check.id]
    return "gpu_right" if check.needs_gpu else "right"


class CheckReport(Strict):
    """One check. counted: whether it is part of the score; what: what the check requires."""

    check: Identifier
    what: Text
    skill: Skill
    verdict: Verdict
    sentence: str
    counted: bool
    points: Interval
    possible: float


class SpeedRate(Strict):
    """How often speed was judged wrongly with known truth, 10 % off a level, on a CPU."""

    judgings: int
    wrong: int
    undecided: int
    rate: Interval | None
    device: str
    date: str


class VariantTrials(Strict):
    """Results of the reference and wrong answers in many candidates' variants, with new inputs.

    wrong_fail_rate: 95 % interval. wrong_judgings: of all known wrong answers together;
    wrong_failed: those that failed at the right check. left_out: checks that measure speed or need
    a GPU. older: the code has changed since.
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
    """Results of mutants: systematic small mistakes in the reference, each judged several times.

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
    """Quality of a task's checks: wrong answers that passed, references that failed.

    wrong_passed, reference_failed: where it happened, in words. rates: 95 % intervals. measured:
    device and date; older: the code has changed since. speed: for checks timed on a CPU.
    gpu_speed_unmeasured: a check is timed on a GPU, and its error rate is unknown. variants:
    results in candidates' variants; the other counts are for the published exercise. mutants:
    results of mutants of the reference, in addition to the wrong answers written by hand.
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

    lines: as judged, numbered from 1. added: lines that are not in the starter, for this task;
    elsewhere: for other tasks in the same file. removed: starter lines that are gone, by the line
    before which they were. cited: by check, lines that its sentence names. left_out: number of
    lines at the end that are not shown.
    """

    name: Text
    lines: list[str]
    added: list[int]
    removed: dict[int, list[str]]
    elsewhere: list[int] = Field(default_factory=list[int])
    cited: dict[Identifier, list[int]] = Field(default_factory=dict[str, list[int]])
    left_out: int = 0


class VersionReport(Strict):
    """A version of the candidate's files by the work log, judged again for the report.

    minutes: since the log's first entry. idea: what the candidate called it, or "". claimed: the
    score by the log. score, value: by the judge now, and None without a result. added, removed:
    lines, compared with the version before.
    """

    minutes: float
    idea: str
    claimed: float
    score: float | None
    value: float | None
    sentence: str
    added: list[str]
    removed: int


class TaskReport(Strict):
    """One task. share: of the points that count, 0 to 1; None if no check counts.

    answer: the candidate's text for a written task; rubric: for marking it. active_minutes:
    estimated from the work log, None without one. improvements: by the log, minutes since its first
    entry and the score on an open scale. versions: those of the log on that scale, judged again.
    code: what was written for the task.
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
    checks: list[CheckReport]
    record: JudgeRecord | None
    answer: str | None = None
    rubric: Rubric = Field(default_factory=dict[int, str])
    active_minutes: float | None = None
    improvements: list[tuple[float, float]] = Field(default_factory=list[tuple[float, float]])
    versions: list[VersionReport] = Field(default_factory=list[VersionReport])
    check_quality: CheckQuality | None = None
    code: list[CodeShown] = Field(default_factory=list[CodeShown])

    @property
    def failed(self) -> list[CheckReport]:
        """The counted checks that certainly lost points."""
        return [c for c in self.checks if c.counted and c.points.high < c.possible * GOOD]


class SkillReport(Strict):
    """One skill over all tasks. points: out of `possible`, in the module's points."""

    skill: Skill
    title: Text
    points: Interval
    possible: float
    tasks: list[Identifier]


class JudgingEnvironment(Strict):
    """Where the submission was judged, and how it was isolated."""

    hotloop: str
    device: str
    driver: str
    libraries: dict[str, str]
    isolation: str
    started: str
    judging_seconds: float


class NotMeasured(Strict):
    """An open check, and why it is open."""

    task: Identifier
    check: Identifier
    verdict: Verdict
    sentence: str
    points: float


class FollowUp(Strict):
    """An interview question, with what to listen for.

    why: why it was chosen. code: lines of the candidate's code that it is about, numbered; where:
    their file. Both are "" for a question from the bank. key: `task.id` for the former, `module.id`
    for the latter.
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
    """What was handed in; late work is not accepted.

    The deadline is left out, since it would reveal who got more time. altered: given files that
    came back changed; the originals were judged. other_checks: the checks have changed since the
    pack was made. notes: problems with the notebook, and how it was read.
    """

    digest: Digest
    received: Moment
    handed_in: list[str]
    altered: list[str]
    work_log: bool
    other_checks: bool = False
    notes: list[str] = Field(default_factory=list)


class AssistantNote(Strict):
    """One file of notes or transcripts. text: long ones are cut."""

    name: Text
    text: str


class AssistantUse(Strict):
    """The role's rule on AI assistants, and the candidate's notes about their use."""

    rule: Assistants
    notes: list[AssistantNote]


Position = Literal["below", "overlaps", "within", "above"]


class BaselinePlace(Strict):
    """Score of one model alone on packs of this role, and the candidate's position relative to it.

    span: from the lowest to the highest attempt; own: the candidate's; both out of 100, by the
    judge, without checks that are open for all (left_out). turns: replies per attempt. older: the
    checks have changed since. hard: tasks that the model mostly failed. without_result: further
    attempts, in which no code was written. scales: by task, its scores on an open scale.
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
    without_result: int = 0
    scales: dict[Identifier, list[float]] = Field(default_factory=dict[str, list[float]])


class Reproduction(Strict):
    """How to grade it again. grader_digest: of all code and data that the verdicts depend on."""

    command: Text
    hotloop: str
    grader_digest: str
    variant: str


class TakehomeReport(Strict):
    """Content of report.json. score: out of 100, weighted by task; judged: without written tasks.

    viva: what was filed when the report was made; it does not change the score.
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
    environment: JudgingEnvironment
    strengths: list[str]
    weak_spots: list[str]
    follow_ups: list[FollowUp]
    signals: list[Signal]
    assistants: AssistantUse
    baselines: list[BaselinePlace]
    reproduce: Reproduction
    viva: VivaScore | None = None

    def task(self, name: str) -> TaskReport:
        """Return the task called `name`. Raises KeyError if the role has no such task."""
        for task in self.tasks:
            if task.task == name:
                return task
        raise KeyError(name)

    def records(self) -> dict[str, Record]:
        """Return the judge's records by task."""
        return {task.task: task.record for task in self.tasks if task.record is not None}


def to_json(report: TakehomeReport) -> str:
    """Return the text of report.json."""
    # NaN and infinity, which JSON lacks, become null.
    return report.model_dump_json(indent=1) + "\n"


def read_report(path: Path) -> TakehomeReport:
    """Read a report from a file. Raises UnreadableReport."""
    try:
        if path.stat().st_size > LONGEST:
            raise UnreadableReport(f"{path} is too large for a report.")
        return TakehomeReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnreadableReport(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:120]
        raise UnreadableReport(f"{path} is no report: {where}: {first['msg']}.") from None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of report.json (draft 2020-12)."""
    properties = TypeAdapter(TakehomeReport).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Report on a take-home exercise, by Hotloop",
        **{key: value for key, value in properties.items() if key != "title"},
    }
