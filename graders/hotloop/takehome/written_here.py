"""Which reports were written in a team's folder: its audit log knows the digest of each file.

So an edit shows wherever a report decides something, and so does an earlier report that was put
back. Neither shows against somebody who writes the log anew as well: the chain has no key.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.takehome.report import HTML_NAME, JSON_NAME, Report, UnreadableReport, read_report
from hotloop.takehome.team import Team

_REPORT = "wrote the report on {pseudonym}: "
_PAGE = "wrote the page on {pseudonym}: "
"""What the log says before a digest."""

_LINES: Mapping[str, str] = {JSON_NAME: _REPORT, HTML_NAME: _PAGE}


class AlteredReport(UnreadableReport):
    """It is not what was last written here on its candidate. The text is one sentence."""


class OwnReports:
    """A team's reports, as far as its audit log knows them. The log is read once."""

    def __init__(self, team: Team) -> None:
        self._folder = team.folder.resolve() / "reports"
        self._said = [str(document.get("what")) for _, document in team.audited().documents]

    def read(self, path: Path) -> Report:
        """The last report that was written here on its candidate. UnreadableReport; AlteredReport
        for an edited one, an earlier one that was put back, and one in another candidate's folder.
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
        if self._is_anothers(path.resolve().parent, report):
            raise AlteredReport(
                f"{path} is the report on {report.pseudonym}, in another candidate's folder: "
                "`hotloop takehome grade` writes the right one."
            )
        return report

    def altered(self, pseudonym: str, report: Path) -> list[str]:
        """What of a report's two files was not written here, the last time or earlier. A page that
        is not there says nothing.
        """
        page = report.with_name(HTML_NAME)
        found: list[str] = []
        if not self._is_known(_REPORT, pseudonym, report):
            found.append("the audit log knows no report with these contents")
        if page.is_file() and not self._is_known(_PAGE, pseudonym, page):
            found.append(f"the audit log knows no {HTML_NAME} with these contents")
        return found

    def _is_known(self, line: str, pseudonym: str, file: Path) -> bool:
        return _digest(file.read_bytes()) in self._digests(line, pseudonym)

    def _digests(self, line: str, pseudonym: str) -> list[str]:
        """Of all such files that were written on a candidate, the last one last."""
        start = line.format(pseudonym=pseudonym)
        return [said.removeprefix(start) for said in self._said if said.startswith(start)]

    def _is_anothers(self, folder: Path, report: Report) -> bool:
        return folder.parent == self._folder and folder.name != str(report.pack)


def note(team: Team, pseudonym: str, files: Mapping[str, bytes]) -> None:
    """Let the audit log know a report's files, by name."""
    for name, data in files.items():
        team.audit("judge", _LINES[name].format(pseudonym=pseudonym) + _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
