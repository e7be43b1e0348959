"""What came of a candidate's last hand-in: whether it is graded and marked, and its score.

Report and scorecard lie beside each other and each says which hand-in it is about. What is about an
earlier one says nothing of the last.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from hotloop.takehome import compare, scorecard
from hotloop.takehome.intervals import Interval
from hotloop.takehome.report import JSON_NAME, UnreadableReport, read_report
from hotloop.takehome.scorecard import Scorecard, ScorecardError
from hotloop.takehome.team import PackRecord, Team


@dataclass(frozen=True)
class Headline:
    """What is read from a report for a list. digest: of the submission that it is on."""

    digest: str
    score: Interval


@dataclass(frozen=True)
class Outcome:
    """score: with the marks of the filed scorecard; None until there is a report on the last
    hand-in. is_filed: a scorecard about it is. problem: what cannot be read; one sentence.
    """

    score: Interval | None = None
    is_filed: bool = False
    problem: str = ""


def outcome_of(team: Team, record: PackRecord) -> Outcome:
    """Of the last hand-in; nothing where there is none."""
    if not record.submitted:
        return Outcome()
    digest = record.submitted[-1].digest
    said = headline(team, record.pack)
    if said is None or said.digest != digest:
        return Outcome()
    try:
        card = scorecard.read(team, record.pack)
        if card is None or card.submission != digest:
            return Outcome(said.score)
        return Outcome(_marked(team, card), is_filed=True)
    except (ScorecardError, UnreadableReport) as fault:
        return Outcome(said.score, problem=str(fault))


def headline(team: Team, pack: UUID) -> Headline | None:
    """What the report says in one line; None when there is none that can be read."""
    path = report_path(team, pack)
    try:
        status = path.stat()
    except OSError:
        return None
    return _headline(path, status.st_mtime_ns, status.st_ino)


def report_path(team: Team, pack: UUID) -> Path:
    """Where report.json lies, if it does; no folder is made for it."""
    return team.folder / "reports" / str(pack) / JSON_NAME


def _marked(team: Team, card: Scorecard) -> Interval:
    """The score as `compare` has it. UnreadableReport."""
    path = report_path(team, card.pack)
    try:
        status = path.stat()
    except OSError as error:
        raise UnreadableReport(f"{path} cannot be read: {error.strerror}.") from None
    return _with_marks(path, status.st_mtime_ns, status.st_ino, card.model_dump_json())


@lru_cache(maxsize=4096)
def _headline(path: Path, _mtime_ns: int, _inode: int) -> Headline | None:
    try:
        document = json.loads(path.read_bytes())
        score = Interval.model_validate(document["score"])
        return Headline(str(document["submission"]["digest"]), score)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=4096)
def _with_marks(path: Path, _mtime_ns: int, _inode: int, card: str) -> Interval:
    return compare.score(read_report(path), Scorecard.model_validate_json(card))
