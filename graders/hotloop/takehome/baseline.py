"""Measures what an AI model alone scores on a role.

A model of the team's choice attempts packs of the role, each in a variant of its own, and the judge
judges the code it writes. Results are kept in roles/<role>/baseline.json, one series per model.
Tasks that people mark are not included.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import Field, ValidationError

from hotloop import __version__
from hotloop.core import whole_file
from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.intervals import Interval, rate_interval
from hotloop.core.moment import Moment
from hotloop.core.record import Record
from hotloop.course import hand_in
from hotloop.course.execution import execute
from hotloop.course.hand_in import HandIn
from hotloop.course.notebook_run import Terms
from hotloop.judge.grader_digest import grader_digest
from hotloop.judge.notebook_release import of_files
from hotloop.learn.pack.manifest import Digest, Manifest
from hotloop.learn.predicting.own_code import with_cell
from hotloop.takehome import execution
from hotloop.takehome.chat import Chat, Message
from hotloop.takehome.report import BaselinePlace, Position, TaskReport
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.score import Points, check_score, share, weighted
from hotloop.takehome.starter import starter_files, text_of
from hotloop.takehome.team import Team, TeamError
from hotloop.tasks.notebook_cells import NOTEBOOK, readable_cells
from hotloop.tasks.variants import Variant, draw
from hotloop.verdicts.open_scale import score_of_record

NAME = "baseline.json"
SOLVED = 0.5
"""Share of a task's points from which an attempt counts as a success."""

_SOLUTION = "_solution"
_PIECE = re.compile(
    r"^=== (FILE|CELL) (\S+) ===[^\S\n]*\n(.*?)^=== END ===[^\S\n]*$", re.MULTILINE | re.DOTALL
)
_FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)^```\s*\Z", re.MULTILINE | re.DOTALL)
_LONGEST_FILE = 100_000


CheckPoints = Mapping[str, Points]
"""Points by check; checks that do not count are left out."""


class ModelAttempt(Strict):
    """Points of one attempt by task and check.

    pieces: files and cells in all replies; without any the attempt has no result, since a model
    that refuses says nothing about the tasks. scales: by task, the score on its open scale.
    """

    tasks: dict[Identifier, dict[Identifier, Points]]
    pieces: int
    scales: dict[Identifier, float] = Field(default_factory=dict[str, float])


class ModelBaseline(Strict):
    """All attempts of one model. host: of its endpoint. turns: replies per attempt."""

    model: Text
    host: Text
    made: Moment
    hotloop: Text
    module: Identifier
    grader_digest: Digest
    turns: int
    attempts: Annotated[list[ModelAttempt], Field(min_length=1)]

    @property
    def works(self) -> list[ModelAttempt]:
        """The attempts with a result."""
        return [attempt for attempt in self.attempts if attempt.pieces]

    def scores(self, weights: Mapping[str, float]) -> list[Interval]:
        """Return the score of each work, out of 100, from measured checks and task weights."""
        without = _measured_nowhere([attempt.tasks for attempt in self.works])
        return [_score(attempt.tasks, weights, without) for attempt in self.works]

    def is_hard(self, task: str) -> bool:
        """True if fewer than half of the works succeed: the 95 % interval is below 0.5."""
        without = _measured_nowhere([attempt.tasks for attempt in self.works])
        every = [_share(attempt.tasks[task], task, without) for attempt in self.works]
        shares = [share for share in every if share is not None]
        solved = rate_interval(sum(share.high >= SOLVED for share in shares), len(shares))
        return solved is not None and solved.high < 0.5


def _measured_nowhere(works: Sequence[Mapping[str, CheckPoints]]) -> set[tuple[str, str]]:
    """Return (task, check) pairs without a result for any of the works.

    On a machine without a GPU these cannot distinguish the works.
    """
    known = {(task, check) for work in works for task, checks in work.items() for check in checks}
    return {
        (task, check)
        for task, check in known
        if all(check not in work[task] or work[task][check].open for work in works)
    }


def _share(checks: CheckPoints, task: str, without: set[tuple[str, str]]) -> Interval | None:
    return share(points for check, points in checks.items() if (task, check) not in without)


def _score(
    work: Mapping[str, CheckPoints], weights: Mapping[str, float], without: set[tuple[str, str]]
) -> Interval:
    return weighted((_share(work[task], task, without), weight) for task, weight in weights.items())


class Baselines(Strict):
    """Content of baseline.json: the latest series of each model."""

    format: Literal[1] = 1
    series: list[ModelBaseline]


def read(team: Team, role: str) -> list[ModelBaseline]:
    """Return all series of a role, or []. Raises TeamError for a damaged file."""
    path = _path(team, role)
    try:
        return Baselines.model_validate_json(path.read_bytes()).series
    except FileNotFoundError:
        return []
    except (OSError, ValidationError):
        raise TeamError(f"{path} is damaged: delete it, and measure again.") from None


def keep(team: Team, role: str, series: ModelBaseline) -> Path:
    """Store a series in place of the model's earlier one; return the file's path."""
    with team.alone():
        others = [one for one in read(team, role) if one.model != series.model]
        document = Baselines(series=[*others, series]).model_dump(mode="json")
        path = _path(team, role)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_file.replace(path, (json.dumps(document, indent=1) + "\n").encode())
    return path


def _path(team: Team, role: str) -> Path:
    return team.role_path(role).with_name(NAME)


def places(
    series: Sequence[ModelBaseline], manifest: Manifest, tasks: Sequence[TaskReport]
) -> list[BaselinePlace]:
    """Place a candidate among the attempts of each model, by what was measured for any of them.

    A model that did not attempt all of the pack's tasks, or has no result, is left out.
    """
    own = {
        task.task: {
            r.check: Points(points=r.points, possible=r.possible) for r in task.checks if r.counted
        }
        for task in tasks
        if task.kind == "code"
    }
    weights = {name: manifest.tasks[name].weight for name in own}
    placed: list[BaselinePlace] = []
    for one in series:
        works = [attempt.tasks for attempt in one.works]
        same = one.module == manifest.module and all(own.keys() <= work.keys() for work in works)
        if not own or not works or not same:
            continue
        without = _measured_nowhere([own, *({name: w[name] for name in own} for w in works)])
        scores = [_score(work, weights, without) for work in works]
        span = Interval(low=min(s.low for s in scores), high=max(s.high for s in scores))
        mine = _score(own, weights, without)
        placed.append(
            BaselinePlace(
                model=one.model,
                made=one.made,
                attempts=len(scores),
                turns=one.turns,
                span=span,
                own=mine,
                position=_position(mine, span),
                left_out=sorted(f"{task}.{check}" for task, check in without),
                older=one.grader_digest != grader_digest(one.module),
                hard=[name for name in own if one.is_hard(name)],
                without_result=len(one.attempts) - len(works),
                scales={
                    name: [work.scales[name] for work in one.works if name in work.scales]
                    for name in own
                },
            )
        )
    return placed


def _position(own: Interval, span: Interval) -> Position:
    if own.low > span.high:
        return "above"
    if own.high < span.low:
        return "below"
    return "within" if span.low <= own.low and own.high <= span.high else "overlaps"


# --- attempting -----------------------------------------------------------------------------------


def attempt(
    team: Team,
    role: TakehomeRole,
    chat: Chat,
    turns: int,
    say: Callable[[str], None] = lambda _text: None,
) -> ModelAttempt:
    """Let the model attempt one pack in a new variant, and judge it. Raises ChatError.

    turns: number of replies; after each but the last, the model gets the judge's verdicts and may
    revise its work.
    """
    variant = draw(role.module, team.key.variants, f"baseline-{secrets.token_hex(8)}")
    tasks = execution.code_tasks(role.module, [task.task for task in role.tasks])
    starter = starter_files(role.definition(), [task.id for task in role.chosen()], variant)
    messages = prompt(role, starter)
    work = dict(starter)
    records: Mapping[str, Record] = {}
    pieces = 0
    for turn in range(turns):
        say(f"turn {turn + 1} of {turns}: waiting for the model")
        reply = chat.reply(messages)
        pieces += take(reply, role, work)
        handed_in = _hand_in(role, starter, work, variant, tasks)
        records = execute(handed_in, Terms(), lambda _task, text: say(text)).records
        messages = [
            *messages,
            Message(role="assistant", content=reply),
            Message(role="user", content=_feedback(records)),
        ]
    module = role.definition()
    points: dict[str, dict[str, Points]] = {}
    for name in tasks:
        scores = {c.id: check_score(c, records[name]) for c in module.task(name).checks}
        points[name] = {check: score for check, score in scores.items() if score.counted}
    known = {name: score_of_record(record) for name, record in records.items()}
    scales = {name: score for name, score in known.items() if score is not None}
    return ModelAttempt(tasks=points, pieces=pieces, scales=scales)


def series(
    role: TakehomeRole, chat: Chat, turns: int, attempts: Sequence[ModelAttempt]
) -> ModelBaseline:
    """Return these attempts as a series to store."""
    return ModelBaseline(
        model=chat.model,
        host=chat.host,
        made=datetime.now(UTC),
        hotloop=__version__,
        module=role.module,
        grader_digest=grader_digest(role.module),
        turns=turns,
        attempts=list(attempts),
    )


def prompt(role: TakehomeRole, starter: Mapping[str, bytes]) -> list[Message]:
    """Return the prompt: tasks and starter files of the pack, and nothing about any candidate."""
    tasks = [task for task in role.chosen() if task.kind == "code"]
    todo = "\n".join(f"- {task.title}: {task.goal} In {', '.join(task.files)}." for task in tasks)
    files = "\n\n".join(
        f"=== FILE {name} ===\n{text}\n=== END ==="
        for name, data in sorted(starter.items())
        if name != NOTEBOOK and len(data) <= _LONGEST_FILE and (text := text_of(data))
    )
    content = f"{_ASK}\n\nTasks:\n{todo}\n\nNotebook:\n\n{_notebook(starter)}\n\n{files}"
    return [Message(role="user", content=content)]


_ASK = """\
Solve the tasks below. They are judged automatically on fresh inputs; speed may be measured too.
Reply with every file and notebook cell that you change, each whole, in exactly this form, and
nothing else between these lines:

=== FILE name.cu ===
(the whole file)
=== END ===
=== CELL task_name ===
(the whole solution cell of that task)
=== END ==="""


def _notebook(starter: Mapping[str, bytes]) -> str:
    parts: list[str] = []
    for cell in readable_cells(starter[NOTEBOOK]):
        part = cell.source
        if cell.grade_id.endswith(_SOLUTION):
            part = f"=== CELL {cell.grade_id.removesuffix(_SOLUTION)} ===\n{part}\n=== END ==="
        elif cell.kind == "code":
            part = f"```python\n{part}\n```"
        parts.append(part)
    return "\n\n".join(parts)


def take(reply: str, role: TakehomeRole, work: dict[str, bytes]) -> int:
    """Copy files and cells that the tasks ask for from a reply into `work`.

    Returns how many differ from what was there: a repeated starter file is no work.
    """
    tasks = [task for task in role.chosen() if task.kind == "code"]
    files = {name for task in tasks for name in task.files} - {NOTEBOOK}
    cells = {task.id for task in tasks if NOTEBOOK in task.files}
    known = {cell.grade_id: cell.source for cell in readable_cells(work[NOTEBOOK])}
    taken = 0
    for kind, name, body in cast("list[tuple[str, str, str]]", _PIECE.findall(reply)):
        fenced = _FENCE.match(body)
        text = fenced[1] if fenced else body
        if kind == "FILE" and name in files:
            before = text_of(work.get(name, b""))
            work[name] = text.encode()
        elif kind == "CELL" and name in cells:
            before = known.get(f"{name}{_SOLUTION}")
            work[NOTEBOOK] = with_cell(work[NOTEBOOK], f"{name}{_SOLUTION}", text.rstrip("\n"))
        else:
            continue
        taken += (before or "").rstrip() != text.rstrip()
    return taken


def _hand_in(
    role: TakehomeRole,
    starter: Mapping[str, bytes],
    work: Mapping[str, bytes],
    variant: Variant,
    tasks: Sequence[str],
) -> HandIn:
    """Read the work like a candidate's hand-in."""
    own = {name for task in role.chosen() for name in task.files if name in work}
    release = of_files(role.module, starter, own)
    files = {name: work[name] for name in own}
    whole = hand_in.complete("baseline", release, files, work[NOTEBOOK], tasks=tuple(tasks))
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in starter.items()}
    return replace(whole, digests=digests, variant=variant.to_json())


def _feedback(records: Mapping[str, Record]) -> str:
    """Return the feedback that `check()` would show a candidate."""
    lines = [
        f"{name}, {check.check}: {check.verdict.value}. {check.sentence}"
        for name, record in records.items()
        for check in record.checks
    ]
    return "The judge says:\n" + "\n".join(lines) + "\nRevise in the same form what you can."
