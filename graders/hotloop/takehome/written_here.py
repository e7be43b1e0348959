"""Which reports were written in a team's folder: its audit log knows the digest of each file.

So an edit shows wherever a report decides something. It does not show against somebody who writes
the log anew as well: the chain has no key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.takehome.report import HTML_NAME, JSON_NAME, Report, UnreadableReport, read_report
from hotloop.takehome.team import Team

_LINES: Mapping[str, str] = {
    JSON_NAME: "wrote the report on {pseudonym}: {digest}",
    HTML_NAME: "wrote the page on {pseudonym}: {digest}",
}


class AlteredReport(UnreadableReport):
    """It says something else than what was written here. The text is one sentence."""


def note(team: Team, pseudonym: str, files: Mapping[str, bytes]) -> None:
    """Let the audit log know a report's files, by name."""
    for name, data in files.items():
        team.audit("judge", _line(name, pseudonym, data))


def read_own(team: Team, path: Path) -> Report:
    """A report that was written here. UnreadableReport; AlteredReport when it was not."""
    report = read_report(path)
    if not _is_known(team, JSON_NAME, report.pseudonym, path.read_bytes()):
        raise AlteredReport(
            f"{path} is not as it was written here: `hotloop takehome verify` says what differs, "
            "`hotloop takehome grade` writes it anew."
        )
    return report


def altered(team: Team, pseudonym: str, report: Path) -> list[str]:
    """What of a report's two files was not written here. A page that is not there says nothing."""
    page = report.with_name(HTML_NAME)
    found: list[str] = []
    if not _is_known(team, JSON_NAME, pseudonym, report.read_bytes()):
        found.append("the audit log knows no report with these contents")
    if page.is_file() and not _is_known(team, HTML_NAME, pseudonym, page.read_bytes()):
        found.append(f"the audit log knows no {HTML_NAME} with these contents")
    return found


def _is_known(team: Team, name: str, pseudonym: str, data: bytes) -> bool:
    said = _line(name, pseudonym, data)
    return any(document.get("what") == said for _, document in team.audited().documents)


def _line(name: str, pseudonym: str, data: bytes) -> str:
    return _LINES[name].format(pseudonym=pseudonym, digest=hashlib.sha256(data).hexdigest())
