"""Feedback to the candidate: a person's words, and on request what was measured.

    reports/<pack>/feedback.json    the latest version

It is shown behind the candidate's link, and can be written to a page to be sent. It says nothing of
other candidates, of the score and of the signals.
"""

import json
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict, Text
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.learn.pack.manifest import Digest, Manifest
from hotloop.takehome.report import TakehomeReport, TaskReport, UnreadableReport
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.team import Team

NAME = "feedback.json"
LONGEST = 8000


class FeedbackError(UserError):
    """The feedback cannot be written or read. The text is one sentence."""


class Measured(Strict):
    """One task as the candidate reads it. result: points, or what happened with the answer."""

    title: Text
    result: Text
    checks: list[str] = Field(default_factory=list[str])


class Feedback(Strict):
    """What a candidate reads. submission: digest of the hand-in; measured: empty if left out."""

    format: int = 1
    pack: UUID
    by: Text
    published: Moment
    submission: Digest | None
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST)]
    measured: list[Measured]


def publish(team: Team, pack: UUID, text: str, who: str, *, measured: bool) -> Feedback:
    """Store feedback, in place of earlier feedback. measured: also show what was measured.

    Raises FeedbackError if the text is empty or too long, or nothing was measured; UnknownPack if
    the candidate's data was deleted.
    """
    with team.alone():
        record = team.pack(pack)
        report = _report(team, pack) if measured else None
        try:
            feedback = Feedback(
                pack=pack,
                by=who,
                published=datetime.now(UTC),
                submission=record.submitted[-1].digest if record.submitted else None,
                text=text.replace("\r\n", "\n"),
                measured=[_measured(task) for task in report.tasks] if report else [],
            )
        except ValidationError:
            raise FeedbackError(f"Feedback has 1 to {LONGEST} characters.") from None
        path = team.report_folder(pack) / NAME
        data = json.dumps(feedback.model_dump(mode="json"), indent=1, ensure_ascii=False)
        whole_file.replace(path, f"{data}\n".encode(), 0o600)
    team.audit(who, f"published feedback for {record.pseudonym}")
    return feedback


def read(team: Team, pack: UUID) -> Feedback | None:
    """Return the feedback, or None. Raises FeedbackError if the file is damaged."""
    path = team.report_path(pack).with_name(NAME)
    try:
        return Feedback.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise FeedbackError(f"{path} is damaged: publish the feedback again.") from None


def draft(team: Team, pack: UUID) -> str:
    """Return a text to begin with: what the report says was good and where points were lost.

    "" if there is no readable report.
    """
    try:
        report = _report(team, pack)
    except FeedbackError:
        return ""
    good = ["What went well:", "", *(f"- {said}" for said in report.strengths), ""]
    lost = ["Where points were lost:", "", *(f"- {said}" for said in report.weak_spots), ""]
    lines = good * bool(report.strengths) + lost * bool(report.weak_spots)
    return "\n".join(["Thank you for your work on this exercise.", "", *lines]).strip() + "\n"


def markdown(feedback: Feedback, manifest: Manifest) -> str:
    """Return the page's text."""
    lines = [f"# Feedback: {manifest.title}", "", feedback.text, ""]
    if feedback.measured:
        lines += ["## What was measured", ""]
        for task in feedback.measured:
            lines += [f"**{task.title}**: {task.result}", ""]
            lines += [*(f"- {said}" for said in task.checks), ""]
    questions = (
        f"Write to {manifest.contact}: about this feedback, for a copy of all that is stored about "
        "you, to have an error corrected, or to have it deleted."
    )
    return "\n".join([*lines, "## Questions", "", questions, ""])


def _report(team: Team, pack: UUID) -> TakehomeReport:
    record = team.pack(pack)
    try:
        report = OwnReports(team).read(team.report_path(pack))
    except UnreadableReport as error:
        raise FeedbackError(f"There is no report to take results from: {error}") from None
    if not record.submitted or report.submission.digest != record.submitted[-1].digest:
        raise FeedbackError("The last hand-in is not graded yet.")
    return report


def _measured(task: TaskReport) -> Measured:
    if task.kind == "written":
        said = "read by people" if task.answer is not None else "nothing was written"
        return Measured(title=task.title, result=said)
    low, high = task.points.low, task.points.high
    points = f"{low:g}" if high - low < 0.05 else f"{low:.1f} to {high:.1f}"
    checks = [f"{one.check}: {one.verdict.value}. {one.sentence}" for one in task.checks]
    return Measured(title=task.title, result=f"{points} of {task.possible:g} points", checks=checks)
