"""Which reports were written in a team's folder: its audit log knows the digest of each file.

So an edit shows wherever a report decides something, and so does an earlier report that was put
back. Neither shows against somebody who writes the log anew as well: the chain has no key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.takehome.report import HTML_NAME, JSON_NAME, Report, UnreadableReport, read_report
from hotloop.takehome.team import Team

_LINES: Mapping[str, str] = {
    JSON_NAME: "wrote the report on {pseudonym}: ",
    HTML_NAME: "wrote the page on {pseudonym}: ",
}
"""What the log says before a digest."""


class AlteredReport(UnreadableReport):
    """It is not what was last written here on its candidate. The text is one sentence."""


def note(team: Team, pseudonym: str, files: Mapping[str, bytes]) -> None:
    """Let the audit log know a report's files, by name."""
    for name, data in files.items():
        team.audit("judge", _LINES[name].format(pseudonym=pseudonym) + _digest(data))


def read_own(team: Team, path: Path) -> Report:
    """The last report that was written here on its candidate. UnreadableReport; AlteredReport for
    an edited one, an earlier one that was put back, and one in another candidate's folder.
    """
    report = read_report(path)
    written = _written(team, JSON_NAME, report.pseudonym)
    digest = _digest(path.read_bytes())
    if digest not in written:
        raise AlteredReport(
            f"{path} is not as it was written here: `hotloop takehome verify` says what differs, "
            "`hotloop takehome grade` writes it anew."
        )
    if digest != written[-1]:
        raise AlteredReport(
            f"{path} is an earlier report than the last one that was written here on "
            f"{report.pseudonym}: `hotloop takehome grade` writes it anew."
        )
    if _lies_in_anothers_folder(team, path, report):
        raise AlteredReport(
            f"{path} is the report on {report.pseudonym}, in another candidate's folder: "
            "`hotloop takehome grade` writes the right one."
        )
    return report


def altered(team: Team, pseudonym: str, report: Path) -> list[str]:
    """What of a report's two files was not written here. A page that is not there says nothing."""
    page = report.with_name(HTML_NAME)
    found: list[str] = []
    if _digest(report.read_bytes()) not in _written(team, JSON_NAME, pseudonym):
        found.append("the audit log knows no report with these contents")
    if page.is_file() and _digest(page.read_bytes()) not in _written(team, HTML_NAME, pseudonym):
        found.append(f"the audit log knows no {HTML_NAME} with these contents")
    return found


def _lies_in_anothers_folder(team: Team, path: Path, report: Report) -> bool:
    folder = path.resolve().parent
    return folder.parent == team.folder.resolve() / "reports" and folder.name != str(report.pack)


def _written(team: Team, name: str, pseudonym: str) -> list[str]:
    """Digests of all that was written here under this name on a candidate, the last one last."""
    start = _LINES[name].format(pseudonym=pseudonym)
    lines = [str(document.get("what")) for _, document in team.audited().documents]
    return [line.removeprefix(start) for line in lines if line.startswith(start)]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
