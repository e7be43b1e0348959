"""Grades a submission: has it judged, makes the report and keeps it in the team's folder."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from hotloop import whole_file
from hotloop.takehome import execution, report_page, written_here
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.manifest import ForgedManifest
from hotloop.takehome.report import (
    HTML_NAME,
    JSON_NAME,
    Report,
    UnreadableReport,
    read_report,
    to_json,
)
from hotloop.takehome.reporting import make_report
from hotloop.takehome.signalling import signals
from hotloop.takehome.submission import (
    RefusedSubmission,
    Submission,
    given_files,
    open_submission,
)
from hotloop.takehome.team import Team, TeamError
from hotloop.takehome.written_here import OwnReports


def grade(
    submission: Submission,
    team: Team,
    *,
    jobs: int = 1,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> Report:
    """The report on a submission. Nothing is written; see `write`. jobs: tasks judged at once."""
    records = execution.judged(
        submission, team, submission.manifest.tasks, jobs=jobs, on_progress=on_progress
    )
    return make_report(submission, team, records)


def write(report: Report, team: Team) -> tuple[Path, Path]:
    """Keep the report in the team's folder: report.json and report.html.

    report.json comes last: where it is, both are. Their digests are noted first, so that an edit
    shows. UnknownPack when all about the candidate was deleted meanwhile: nothing of it comes back.

    Then the reports on those whose work is like this one get their signals anew: whoever handed in
    first was compared with nobody.
    """
    paths = _keep(report, team)
    _refresh_others(report, team)
    return paths


def _keep(report: Report, team: Team, instead_of: Report | None = None) -> tuple[Path, Path]:
    """instead_of: only where that one still lies there."""
    page, document = report_page.page(report).encode(), to_json(report).encode()
    with team.alone():
        team.pack(report.pack)
        folder = team.report_folder(report.pack)
        if instead_of is not None and read_report(folder / JSON_NAME) != instead_of:
            return folder / JSON_NAME, folder / HTML_NAME
        written_here.note(team, report.pseudonym, {HTML_NAME: page, JSON_NAME: document})
        whole_file.replace(folder / HTML_NAME, page, 0o600)
        whole_file.replace(folder / JSON_NAME, document, 0o600)
    return folder / JSON_NAME, folder / HTML_NAME


def _refresh_others(report: Report, team: Team) -> None:
    """Likeness is the same from both sides: who is named in this report, or names its candidate,
    has other signals from now on. What cannot be read is left as it is.
    """
    said = _text(report.signals)
    own = OwnReports(team)
    records, _damaged = team.readable_packs()
    for record in records:
        if record.pack == report.pack or not record.submitted:
            continue
        with suppress(UnreadableReport, RefusedSubmission, OSError, TeamError, ForgedManifest):
            other = own.read(team.scorecard_path(record.pack).with_name(JSON_NAME))
            if other.pseudonym in said or report.pseudonym in _text(other.signals):
                _refresh(other, team)


def _refresh(report: Report, team: Team) -> None:
    submission = open_submission(team.submissions(report.pack)[-1], team)
    if submission.digest != report.submission.digest:
        return
    given = given_files(team, submission.manifest)
    found = signals(submission, team, report.records(), given)
    if found != report.signals:
        _keep(report.model_copy(update={"signals": found}), team, instead_of=report)


def _text(found: Iterable[Signal]) -> str:
    return "\n".join(line for signal in found for line in (signal.title, *signal.evidence))
