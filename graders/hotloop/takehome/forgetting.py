"""Deletes a candidate, also from the reports on others, which name those whose work is alike."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.takehome import grading
from hotloop.takehome.archive import RefusedSubmission
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.pack import ADJECTIVES, ANIMALS
from hotloop.takehome.report import HTML_NAME, UnreadableReport
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.team import PackRecord, Team, TeamError

_PSEUDONYM = re.compile(rf"\b(?:{'|'.join(ADJECTIVES)})-(?:{'|'.join(ANIMALS)})-[0-9]{{2,4}}\b")


def forget(team: Team, pack: UUID, who: str) -> list[Path]:
    """Delete all data of a candidate, as `Team.forget`, and take them out of others' reports."""
    deleted = team.forget(pack, who)
    clear(team)
    return deleted


def clear(team: Team) -> list[Path]:
    """Take candidates who are gone out of the reports on others.

    It looks for every pseudonym without a pack, so that it also completes a deletion that a crash
    interrupted. Returns the reports that still name one: they were edited, or cannot be read.
    """
    records, _damaged = team.readable_packs()
    here = {record.pseudonym for record in records}
    return [path for record in records for path in _clear(team, record, here)]


def _clear(team: Team, record: PackRecord, here: set[str]) -> list[Path]:
    path = team.report_path(record.pack)
    files = [path, path.with_name(HTML_NAME)]
    if not any(_gone(file, here) for file in files):
        return []
    own = OwnReports(team)
    with suppress(UnreadableReport, RefusedSubmission, TeamError, ForgedManifest, OSError):
        grading.refresh_signals(own.read(path), team)
    if any(_gone(file, here) for file in files):
        # The work cannot be compared again: what was found in it stays, without those who are gone.
        with suppress(UnreadableReport, TeamError, OSError):
            report = own.read(path)
            rest = list(_without_gone(report.signals, here))
            grading.keep(report.model_copy(update={"signals": rest}), team, instead_of=report)
    return [file for file in files if _gone(file, here)]


def _without_gone(signals: Iterable[Signal], here: set[str]) -> Iterable[Signal]:
    for signal in signals:
        evidence = [line for line in signal.evidence if not _names_gone(line, here)]
        if evidence and not _names_gone(signal.title, here):
            yield signal.model_copy(update={"evidence": evidence})


def _gone(path: Path, here: set[str]) -> bool:
    with suppress(FileNotFoundError):
        return _names_gone(path.read_text(encoding="utf-8", errors="replace"), here)
    return False


def _names_gone(text: str, here: set[str]) -> bool:
    return not here.issuperset(_PSEUDONYM.findall(text))
