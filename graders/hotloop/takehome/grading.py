"""Grades a submission: has it judged, makes the report and keeps it in the team's folder."""

from collections.abc import Callable
from pathlib import Path

from hotloop import whole_file
from hotloop.takehome import execution, report_page, written_here
from hotloop.takehome.report import HTML_NAME, JSON_NAME, Report, to_json
from hotloop.takehome.reporting import make_report
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team


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
    shows. UnknownPack when all about the candidate was deleted
    meanwhile: nothing of it comes back.
    """
    page, document = report_page.page(report).encode(), to_json(report).encode()
    with team.alone():
        team.pack(report.pack)
        folder = team.report_folder(report.pack)
        written_here.note(team, report.pseudonym, {HTML_NAME: page, JSON_NAME: document})
        whole_file.replace(folder / HTML_NAME, page, 0o600)
        whole_file.replace(folder / JSON_NAME, document, 0o600)
    return folder / JSON_NAME, folder / HTML_NAME
