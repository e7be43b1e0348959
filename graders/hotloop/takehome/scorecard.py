"""What people judge: marks, each with words, filed before the name is seen.

    reports/<pack>/scorecard.json      the latest version; it exists only once one was filed
    reports/<pack>/scorecards/<n>.json every version, as it was filed

A filed version never changes: a change of mind is a new one, and says whether the name was known.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, get_args
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationError

from hotloop import whole_file
from hotloop.core.user_error import UserError
from hotloop.curriculum import Rubric
from hotloop.practice.moment import Moment
from hotloop.problem import Strict, Text
from hotloop.takehome import assistants
from hotloop.takehome.manifest import Digest, Pseudonym
from hotloop.takehome.report import JSON_NAME, Report, UnreadableReport
from hotloop.takehome.team import Team
from hotloop.takehome.written_here import AlteredReport, OwnReports

OVERALL = "overall"
ASSISTANTS = "assistants"
VERSIONS = "scorecards"

Kind = Literal["task", "question", "assistants", "overall"]
Decision = Literal["advance", "hold", "decline"]
Note = Annotated[str, StringConstraints(max_length=4000)]

OVERALL_RUBRIC: Rubric = {
    0: "would slow the team down; large gaps at what the role needs every day",
    1: "below what the role needs; would need a senior beside them for most work",
    2: "meets a part of what the role needs; the gaps could be closed within months",
    3: "meets what the role needs",
    4: "above what the role needs; would raise the team's level",
}


class ScorecardError(UserError):
    """It cannot be filed as it is. The text is one sentence, or several lines of them."""


class ReportChanged(ScorecardError):
    """The report was written anew since it was read."""


class ReportAltered(ScorecardError):
    """The report is not as it was written here."""


class Criterion(Strict):
    """One thing to mark. key: `task.…`, `question.…`, `assistants` or `overall`.

    counts: whether its mark moves the score. Only that of a written answer does.
    """

    key: Text
    kind: Kind
    title: Text
    rubric: Rubric
    required: bool
    counts: bool = False


class Mark(Strict):
    """0 to 4 by the rubric, None for "not asked"; note: the words that earned it."""

    mark: Annotated[int, Field(ge=0, le=4)] | None = None
    note: Note = ""


class Filing(Strict):
    """What a reviewer hands in. decision: None until one was made; then it cannot be filed."""

    decision: Decision | None
    marks: dict[str, Mark]
    note: Note = ""


class Scorecard(Strict):
    """One filed version. report: digest of the report.json that the reviewer had before them.
    submission: of the zip that it was on; marks are worth nothing for another one.

    name_known: the name had been revealed when it was filed. previous: digest of the last version.
    """

    format: Literal[1] = 1
    pack: UUID
    pseudonym: Pseudonym
    version: Annotated[int, Field(ge=1)]
    filed: Moment
    by: Text
    report: Digest
    submission: Digest
    name_known: bool
    previous: Digest | None
    decision: Decision
    marks: dict[str, Mark]
    note: Note = ""


@dataclass(frozen=True)
class Form:
    """What is to be marked for one candidate."""

    report: Report
    criteria: tuple[Criterion, ...]

    def empty(self) -> Filing:
        """A filing with nothing in it yet."""
        marks = {criterion.key: Mark() for criterion in self.criteria}
        return Filing(decision=None, marks=marks)


def form(team: Team, pack: UUID) -> Form:
    """The criteria for a candidate. ScorecardError before there is a report.
    ReportAltered.
    """
    try:
        report = OwnReports(team).read(team.scorecard_path(pack).with_name(JSON_NAME))
    except AlteredReport as error:
        raise ReportAltered(str(error)) from None
    except UnreadableReport as error:
        raise ScorecardError(f"There is no report to mark yet: {error}") from None
    return Form(report, tuple(criteria(report)))


def file(
    team: Team, pack: UUID, filing: Filing, who: str, *, report: str | None = None
) -> Scorecard:
    """Keep a version; from the first one on the name can be revealed.

    report: digest of the report.json that was read, where that may be another one by now.

    ScorecardError names every required mark that is missing, every key that is unknown, and that
    nothing was decided.
    UnknownPack when all about the candidate was deleted. ReportChanged.
    """
    # Alone: neither another version nor a deletion may come between.
    with team.alone():
        team.pack(pack)
        found = form(team, pack)
        digest = report_digest(team, pack)
        if report not in (None, digest):
            raise ReportChanged("The report was written anew meanwhile: read it, then file.")
        decision = _require_whole(found, filing)
        folder = team.report_folder(pack)
        last = read(team, pack)
        card = Scorecard(
            pack=pack,
            pseudonym=found.report.pseudonym,
            version=last.version + 1 if last else 1,
            filed=datetime.now(UTC),
            by=who,
            report=digest,
            submission=found.report.submission.digest,
            name_known=_name_known(team, found.report.pseudonym),
            previous=hashlib.sha256(_text(last)).hexdigest() if last else None,
            decision=decision,
            marks=dict(filing.marks),
            note=filing.note,
        )
        (folder / VERSIONS).mkdir(mode=0o700, exist_ok=True)
        whole_file.replace(folder / VERSIONS / f"{card.version}.json", _text(card), 0o600)
        whole_file.replace(team.scorecard_path(pack), _text(card), 0o600)
    team.audit(who, f"filed version {card.version} of the scorecard of {card.pseudonym}")
    return card


def report_digest(team: Team, pack: UUID) -> str:
    """Which report lies there now. ScorecardError when there is none."""
    try:
        data = team.scorecard_path(pack).with_name(JSON_NAME).read_bytes()
    except OSError:
        raise ScorecardError("There is no report to mark yet.") from None
    return hashlib.sha256(data).hexdigest()


def read(team: Team, pack: UUID) -> Scorecard | None:
    """The latest version; None before one was filed. ScorecardError when the file is damaged."""
    path = team.scorecard_path(pack)
    return _read(path) if path.is_file() else None


def written_marks(card: Scorecard | None, report: Report) -> Mapping[str, int]:
    """By written task: the mark that a person gave to what the report is about. What was handed in
    after the scorecard was filed nobody has read.
    """
    if card is None or card.submission != report.submission.digest:
        return {}
    written = {f"task.{task.task}": task.task for task in report.tasks if task.kind == "written"}
    return {
        written[key]: found.mark
        for key, found in card.marks.items()
        if key in written and found.mark is not None
    }


def criteria(report: Report) -> Iterator[Criterion]:
    """Written answers first, each required; questions as far as they were asked; and all in all."""
    for task in report.tasks:
        if task.rubric:
            # Where nothing was written there is nothing to read.
            required = task.kind == "written" and task.answer is not None
            yield Criterion(
                key=f"task.{task.task}",
                kind="task",
                title=task.title,
                rubric=task.rubric,
                required=required,
                counts=required,
            )
    for question in report.follow_ups:
        yield Criterion(
            key=f"question.{question.key}",
            kind="question",
            title=question.title,
            rubric=question.rubric,
            required=False,
        )
    if report.assistants.rule == "expected":
        yield Criterion(
            key=ASSISTANTS,
            kind="assistants",
            title="Steering and verification of assistants",
            rubric=assistants.RUBRIC,
            required=False,
        )
    yield Criterion(
        key=OVERALL, kind="overall", title="All in all", rubric=OVERALL_RUBRIC, required=True
    )


def _require_whole(found: Form, filing: Filing) -> Decision:
    """The decision, where nothing is missing."""
    known = {criterion.key: criterion for criterion in found.criteria}
    lines = [
        f"There is nothing to mark called {key!r}." for key in filing.marks if key not in known
    ]
    for key, criterion in known.items():
        mark = filing.marks.get(key, Mark())
        if criterion.required and mark.mark is None:
            lines.append(f"{criterion.title} ({key}) has no mark yet, 0 to 4.")
        elif criterion.required and not mark.note.strip():
            lines.append(f"{criterion.title} ({key}) has a mark without a word of why.")
    if filing.decision is None:
        lines.append(f"There is no decision yet: {', '.join(get_args(Decision))}.")
    if lines or filing.decision is None:
        raise ScorecardError("\n".join(lines))
    return filing.decision


def _name_known(team: Team, pseudonym: str) -> bool:
    said = f"revealed the name of {pseudonym}"
    return any(document.get("what") == said for _, document in team.audited().documents)


def _read(path: Path) -> Scorecard:
    try:
        return Scorecard.model_validate_json(path.read_bytes())
    except ValidationError:
        raise ScorecardError(f"{path} is damaged: its versions lie in {VERSIONS}/.") from None


def _text(card: Scorecard) -> bytes:
    return (json.dumps(card.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()
