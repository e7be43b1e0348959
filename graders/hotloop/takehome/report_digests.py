"""Detects edited reports: the audit log of a team's folder has the digest of each report file.

So edits and restored earlier versions are detected wherever a report matters, except if the log was
rewritten too: the chain has no key.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.takehome.report import (
    HTML_NAME,
    JSON_NAME,
    TakehomeReport,
    UnreadableReport,
    read_report,
)
from hotloop.takehome.team import Team

_REPORT = "wrote the report on {pseudonym}: "
_PAGE = "wrote the page on {pseudonym}: "
"""Text of the log's line before a digest."""

_LINES: Mapping[str, str] = {JSON_NAME: _REPORT, HTML_NAME: _PAGE}


class AlteredReport(UnreadableReport):
    """The report differs from the last one written here. The text is one sentence."""


class OwnReports:
    """A team's reports, compared with its audit log, which is read once."""

    def __init__(self, team: Team) -> None:
        self._folder = team.folder.resolve() / "reports"
        self._events = [str((line.document or {}).get("what")) for line in team.audited()]

    def read(self, path: Path) -> TakehomeReport:
        """Read the last report that was written here on its candidate. Raises UnreadableReport.

        Raises AlteredReport for an edited report, an earlier one, or one in another candidate's
        folder.
        """
        report = read_report(path)
        written = self._digests(_REPORT, report.pseudonym)
        digest = _digest(path.read_bytes())
        if digest not in written:
            raise AlteredReport(
                f"{path} is not as it was written here: `hotloop takehome grade --verify` says "
                "what differs, `hotloop takehome grade` writes it anew."
            )
        if digest != written[-1]:
            raise AlteredReport(
                f"{path} is an earlier report than the last one that was written here on "
                f"{report.pseudonym}: `hotloop takehome grade` writes it anew."
            )
        folder = path.resolve().parent
        if folder.parent == self._folder and folder.name != str(report.pack):
            raise AlteredReport(
                f"{path} is the report on {report.pseudonym}, in another candidate's folder: "
                "`hotloop takehome grade` writes the right one."
            )
        return report

    def altered(self, pseudonym: str, report: Path) -> list[str]:
        """List the report's files that were never written here; a missing page is ignored."""
        page = report.with_name(HTML_NAME)
        differences: list[str] = []
        if not self._is_known(_REPORT, pseudonym, report):
            differences.append("the audit log knows no report with these contents")
        if page.is_file() and not self._is_known(_PAGE, pseudonym, page):
            differences.append(f"the audit log knows no {HTML_NAME} with these contents")
        return differences

    def _is_known(self, line: str, pseudonym: str, file: Path) -> bool:
        return _digest(file.read_bytes()) in self._digests(line, pseudonym)

    def _digests(self, line: str, pseudonym: str) -> list[str]:
        """Return the digests of all such files of a candidate, the latest last."""
        start = line.format(pseudonym=pseudonym)
        return [what.removeprefix(start) for what in self._events if what.startswith(start)]


def note(team: Team, pseudonym: str, files: Mapping[str, bytes]) -> None:
    """Record the digests of a report's files in the audit log."""
    for name, data in files.items():
        team.audit("judge", _LINES[name].format(pseudonym=pseudonym) + _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
