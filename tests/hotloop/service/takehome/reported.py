"""Reports made by hand, and marks for them."""

from pathlib import Path
from uuid import UUID

from hotloop.takehome import grading, scorecard
from hotloop.takehome.report_builder import make_report
from hotloop.takehome.scorecard import Filing, Mark
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import Team

from ...takehome.made_reports import all_of, as_given
from .office import Office


def reported(office: Office, content: bytes, folder: Path) -> Submission:
    """Keep a submission, and write the report on it."""
    path = folder / "came.zip"
    path.write_bytes(content)
    submission = open_submission(path, office.team)
    office.team.keep(submission, path)
    found = as_given({"online_pass": all_of("online_pass")}, submission, office.team)
    report = make_report(submission, office.team, found)
    grading.write(report, office.team)
    return submission


def filled(team: Team, pack: UUID, mark: int = 3) -> Filing:
    """Return marks for all required criteria."""
    form = scorecard.form(team, pack)
    required = {criterion.key for criterion in form.criteria if criterion.required}
    empty = form.empty()
    marks = {k: Mark(mark=mark, note="Said so.") if k in required else m
             for k, m in empty.marks.items()}  # fmt: skip
    return empty.model_copy(update={"decision": "hold", "marks": marks})
