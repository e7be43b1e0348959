"""The scorecard: people's marks with reasons, filed before the name is revealed.

    reports/<pack>/scorecards/<n>.json every review, as it was filed
    reports/<pack>/scorecard.json      the latest review of each reviewer; exists once as many
                                       people have filed as the role wants

A filed review never changes: a correction is a new one, which records whether the name was known.
Nobody is shown another reviewer's marks before filing, and until all have filed the marks count
nowhere, so that no score gives them away.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, get_args
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict, Text
from hotloop.core.intervals import Interval
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.learn.pack.manifest import Digest, Pseudonym
from hotloop.takehome import assistants
from hotloop.takehome.report import TakehomeReport, UnreadableReport
from hotloop.takehome.report_digests import AlteredReport, OwnReports
from hotloop.takehome.team import Team
from hotloop.tasks.curriculum import Rubric

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
    """The scorecard cannot be filed. The text is one or several lines of sentences."""


class ReportChanged(ScorecardError):
    """The report was rewritten since it was read."""


class ReportAltered(ScorecardError):
    """The report differs from what was written here."""


class Criterion(Strict):
    """A criterion to mark. key: `task.…`, `question.…`, `assistants` or `overall`.

    counts: whether its mark changes the score; only that of a written answer does.
    """

    key: Text
    kind: Kind
    title: Text
    rubric: Rubric
    required: bool
    counts: bool = False


class Mark(Strict):
    """A mark from 0 to 4 by the rubric, or None for "not asked"; note: the reasons."""

    mark: Annotated[int, Field(ge=0, le=4)] | None = None
    note: Note = ""


class Filing(Strict):
    """A reviewer's marks. decision: None until it is made; required for filing."""

    decision: Decision | None
    marks: dict[str, Mark]
    note: Note = ""


class Review(Strict):
    """One filed version of a reviewer's marks. report: digest of the report.json that was read.

    submission: digest of the zip that it is about; marks do not apply to another one. name_known:
    whether the reviewer may have known the name. previous: digest of the review filed before it, by
    anybody.
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


class Scorecard(Strict):
    """The marks that count: the latest review of each reviewer of one submission."""

    format: Literal[2] = 2
    pack: UUID
    pseudonym: Pseudonym
    submission: Digest
    reviews: Annotated[list[Review], Field(min_length=1)]


@dataclass(frozen=True)
class ScorecardForm:
    """The criteria to mark for one candidate."""

    report: TakehomeReport
    criteria: tuple[Criterion, ...]

    def empty(self) -> Filing:
        """Return a filing without marks."""
        marks = {criterion.key: Mark() for criterion in self.criteria}
        return Filing(decision=None, marks=marks)


def form(team: Team, pack: UUID) -> ScorecardForm:
    """Return the criteria for a candidate.

    Raises ScorecardError if there is no report yet, ReportAltered if it was edited.
    """
    try:
        report = OwnReports(team).read(team.report_path(pack))
    except AlteredReport as error:
        raise ReportAltered(str(error)) from None
    except UnreadableReport as error:
        raise ScorecardError(f"There is no report to mark yet: {error}") from None
    return ScorecardForm(report, tuple(criteria(report)))


def file(team: Team, pack: UUID, filing: Filing, who: str, *, report: str | None = None) -> Review:
    """File a reviewer's marks. Once as many as the role wants have, the name can be revealed.

    report: digest of the report that the reviewer read, if it may have changed since. Raises
    ScorecardError that lists missing required marks, unknown keys and a missing decision;
    UnknownPack if the candidate's data was deleted; ReportChanged if the report has changed.
    """
    # Hold the lock, so that no other version and no deletion happens in between.
    with team.alone():
        record = team.pack(pack)
        blank = form(team, pack)
        digest = report_digest(team, pack)
        if report not in (None, digest):
            raise ReportChanged("The report was written anew meanwhile: read it, then file.")
        decision = _require_whole(blank, filing)
        folder = team.report_folder(pack)
        earlier = _filed(team, pack)
        card = Review(
            pack=pack,
            pseudonym=blank.report.pseudonym,
            version=len(earlier) + 1,
            filed=datetime.now(UTC),
            by=who,
            report=digest,
            submission=blank.report.submission.digest,
            name_known=_may_know(team, blank.report.pseudonym, who),
            previous=hashlib.sha256(_text(earlier[-1])).hexdigest() if earlier else None,
            decision=decision,
            marks=dict(filing.marks),
            note=filing.note,
        )
        (folder / VERSIONS).mkdir(mode=0o700, exist_ok=True)
        whole_file.replace(folder / VERSIONS / f"{card.version}.json", _text(card), 0o600)
        current = _latest([*earlier, card], card.submission)
        if len(current) >= record.reviewers:
            whole = Scorecard(
                pack=pack, pseudonym=card.pseudonym, submission=card.submission, reviews=current
            )
            whole_file.replace(team.scorecard_path(pack), _text(whole), 0o600)
    team.audit(who, f"filed version {card.version} of the scorecard of {card.pseudonym}")
    return card


def reviews(team: Team, pack: UUID, submission: str) -> list[Review]:
    """Return the latest review of each reviewer of a submission, in order of filing.

    Raises ScorecardError if a file is damaged.
    """
    return _latest(_filed(team, pack), submission)


def own(team: Team, pack: UUID, who: str) -> Review | None:
    """Return the reviewer's latest review of any submission, or None."""
    return next((one for one in _filed(team, pack)[::-1] if one.by == who), None)


def _filed(team: Team, pack: UUID) -> list[Review]:
    """Return all reviews, in order of filing. Raises ScorecardError if a file is damaged."""
    folder = team.scorecard_path(pack).with_name(VERSIONS)
    filed: list[Review] = []
    for path in folder.glob("*.json"):
        try:
            filed.append(Review.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            raise ScorecardError(f"{path} is damaged: take it from your backup.") from None
    return sorted(filed, key=lambda review: review.version)


def _latest(filed: Sequence[Review], submission: str) -> list[Review]:
    by_reviewer = {review.by: review for review in filed if review.submission == submission}
    return sorted(by_reviewer.values(), key=lambda review: review.version)


def _may_know(team: Team, pseudonym: str, who: str) -> bool:
    """True if the name was shown to anybody, or this reviewer has typed it in."""
    for line in team.audited():
        document = line.document or {}
        what = str(document.get("what", ""))
        shown = what.startswith(("revealed the name of", "exported all data of"))
        typed = what.startswith("made pack") and document.get("who") == who
        if (shown or typed) and what.endswith(f" {pseudonym}"):
            return True
    return False


def report_digest(team: Team, pack: UUID) -> str:
    """Return the SHA-256 of the current report. Raises ScorecardError if there is none."""
    try:
        data = team.report_path(pack).read_bytes()
    except OSError:
        raise ScorecardError("There is no report to mark yet.") from None
    return hashlib.sha256(data).hexdigest()


def read(team: Team, pack: UUID) -> Scorecard | None:
    """Return the marks that count; None until enough people have filed.

    Raises ScorecardError if the file is damaged.
    """
    path = team.scorecard_path(pack)
    if not path.is_file():
        return None
    try:
        return Scorecard.model_validate_json(path.read_bytes())
    except ValidationError:
        raise ScorecardError(f"{path} is damaged: its versions lie in {VERSIONS}/.") from None


def written_marks(card: Scorecard | None, report: TakehomeReport) -> Mapping[str, Interval]:
    """Return the lowest and highest mark of each written task that was marked.

    Nothing if the scorecard is not about the report's submission.
    """
    if card is None or card.submission != report.submission.digest:
        return {}
    spans: dict[str, Interval] = {}
    for task in report.tasks:
        given = [review.marks.get(f"task.{task.task}", Mark()).mark for review in card.reviews]
        marks = [mark for mark in given if mark is not None]
        if task.kind == "written" and marks:
            spans[task.task] = Interval(low=min(marks), high=max(marks))
    return spans


def criteria(report: TakehomeReport) -> Iterator[Criterion]:
    """Yield the criteria: required written answers, questions, assistants, and overall."""
    for task in report.tasks:
        if task.rubric:
            # An empty answer needs no mark.
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


def _require_whole(blank: ScorecardForm, filing: Filing) -> Decision:
    """Return the decision. Raises ScorecardError if anything required is missing."""
    known = {criterion.key: criterion for criterion in blank.criteria}
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


def _text(card: Review | Scorecard) -> bytes:
    return (json.dumps(card.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()
