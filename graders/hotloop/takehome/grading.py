"""Grades a submission: judges it, makes the report and stores it in the team's folder."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from hotloop.core import whole_file
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.takehome import execution, report_digests, report_page, versions, viva
from hotloop.takehome.archive import RefusedSubmission
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.integrity_signals import signals
from hotloop.takehome.report import (
    HTML_NAME,
    JSON_NAME,
    TakehomeReport,
    UnreadableReport,
    read_report,
    to_json,
)
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.submission import Submission, given_files, open_submission
from hotloop.takehome.team import Team, TeamError


def grade(
    submission: Submission,
    team: Team,
    *,
    jobs: int = 1,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> TakehomeReport:
    """Return the report on a submission without storing it; see `write`. jobs: tasks at once."""
    records = execution.judged(
        submission, team, submission.manifest.tasks, jobs=jobs, on_progress=on_progress
    )
    again = versions.judged(submission, team, on_progress)
    return make_report(submission, team, records, versions=again)


def write(report: TakehomeReport, team: Team) -> tuple[Path, Path]:
    """Store report.json and report.html in the team's folder; return their paths.

    report.json is written last: if it exists, both do. Their digests are recorded first, so that
    edits can be detected. Raises UnknownPack if the candidate's data was deleted in the meantime;
    nothing is written then. Afterwards, similarity signals are recomputed in other candidates'
    reports, since earlier submissions could not be compared with this one.
    """
    paths = keep(report, team)
    _refresh_others(report, team)
    return paths


def show_viva(team: Team, pack: UUID) -> bool:
    """Put the filed viva into the stored report; return whether a report shows it now.

    A report on another submission is left unchanged. Raises UnreadableReport for an edited report,
    VivaError if the filed answers are damaged.
    """
    path = team.report_path(pack)
    if not path.is_file():
        return False
    report = OwnReports(team).read(path)
    score = viva.score_of(team, pack, report.submission.digest)
    if score is not None and score != report.viva:
        keep(report.model_copy(update={"viva": score}), team, instead_of=report)
    return score is not None


def keep(
    report: TakehomeReport, team: Team, instead_of: TakehomeReport | None = None
) -> tuple[Path, Path]:
    """Store a report; return the paths of report.json and report.html.

    instead_of: only if this report is still the stored one.
    """
    page, document = report_page.page(report).encode(), to_json(report).encode()
    with team.alone():
        team.pack(report.pack)
        folder = team.report_folder(report.pack)
        if instead_of is not None and read_report(folder / JSON_NAME) != instead_of:
            return folder / JSON_NAME, folder / HTML_NAME
        report_digests.note(team, report.pseudonym, {HTML_NAME: page, JSON_NAME: document})
        whole_file.replace(folder / HTML_NAME, page, 0o600)
        whole_file.replace(folder / JSON_NAME, document, 0o600)
    return folder / JSON_NAME, folder / HTML_NAME


def _refresh_others(report: TakehomeReport, team: Team) -> None:
    """Recompute signals of reports that name this candidate, or are named in this report.

    Similarity is symmetric. Reports that cannot be read are left unchanged.
    """
    named = _text(report.signals)
    own = OwnReports(team)
    records, _damaged = team.readable_packs()
    for record in records:
        if record.pack == report.pack or not record.submitted:
            continue
        with suppress(UnreadableReport, RefusedSubmission, OSError, TeamError, ForgedManifest):
            other = own.read(team.report_path(record.pack))
            if other.pseudonym in named or report.pseudonym in _text(other.signals):
                refresh_signals(other, team)


def refresh_signals(report: TakehomeReport, team: Team) -> None:
    """Compute a stored report's signals again, if it is on the last submission.

    Raises RefusedSubmission, TeamError, ForgedManifest or OSError if the work cannot be read.
    """
    submission = open_submission(team.submissions(report.pack)[-1], team)
    if submission.digest != report.submission.digest:
        return
    starter = given_files(team, submission.manifest)
    fresh = signals(submission, team, report.records(), starter)
    if fresh != report.signals:
        keep(report.model_copy(update={"signals": fresh}), team, instead_of=report)


def _text(signals: Iterable[Signal]) -> str:
    return "\n".join(line for signal in signals for line in (signal.title, *signal.evidence))
