"""The state of a candidate's last hand-in: whether it is graded and marked, and its score.

Report and scorecard each name the hand-in that they are about; ones about an earlier hand-in are
ignored.
"""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from hotloop.core.intervals import Interval
from hotloop.takehome import compare, scorecard
from hotloop.takehome.report import UnreadableReport, read_report
from hotloop.takehome.scorecard import Scorecard, ScorecardError
from hotloop.takehome.team import PackRecord, Team


@dataclass(frozen=True)
class Headline:
    """The parts of a report that lists show. digest: of the submission."""

    digest: str
    score: Interval


@dataclass(frozen=True)
class HandInStatus:
    """State of the last hand-in. score: with the marks of the filed scorecard.

    It is None until the hand-in has a report. reviews: how many people have filed. is_filed:
    whether as many have as the role wants. problem: what cannot be read, as one sentence, or "".
    """

    score: Interval | None = None
    reviews: int = 0
    is_filed: bool = False
    problem: str = ""


def outcome_of(team: Team, record: PackRecord) -> HandInStatus:
    """Return the state of the last hand-in; all defaults if there is none."""
    if not record.submitted:
        return HandInStatus()
    digest = record.submitted[-1].digest
    report = headline(team, record.pack)
    if report is None or report.digest != digest:
        return HandInStatus()
    try:
        card = scorecard.read(team, record.pack)
        if card is None or card.submission != digest:
            filed = len(scorecard.reviews(team, record.pack, digest))
            return HandInStatus(report.score, filed)
        return HandInStatus(_marked(team, card), len(card.reviews), is_filed=True)
    except (ScorecardError, UnreadableReport) as fault:
        return HandInStatus(report.score, problem=str(fault))


def headline(team: Team, pack: UUID) -> Headline | None:
    """Return the headline of the report, or None if there is no readable one."""
    path = team.report_path(pack)
    try:
        status = path.stat()
    except OSError:
        return None
    return _headline(path, status.st_mtime_ns, status.st_ino)


def _marked(team: Team, card: Scorecard) -> Interval:
    """Return the score as `compare` computes it. Raises UnreadableReport."""
    path = team.report_path(card.pack)
    try:
        status = path.stat()
    except OSError as error:
        raise UnreadableReport(f"{path} cannot be read: {error.strerror}.") from None
    return _with_marks(path, status.st_mtime_ns, status.st_ino, card.model_dump_json())


@lru_cache(maxsize=4096)
def _headline(path: Path, _mtime_ns: int, _inode: int) -> Headline | None:
    try:
        document = json.loads(path.read_bytes())
        score = Interval(**document["score"])
        digest = str(document["submission"]["digest"])
        return Headline(digest, score) if math.isfinite(score.high) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=4096)
def _with_marks(path: Path, _mtime_ns: int, _inode: int, card: str) -> Interval:
    return compare.score(read_report(path), Scorecard.model_validate_json(card))
