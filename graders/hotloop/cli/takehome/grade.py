"""`hotloop takehome grade`: judge submissions and write reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_sandbox
from hotloop.cli.judging import JudgingLine, judging_line
from hotloop.cli.options import Jobs
from hotloop.cli.takehome.folder import TeamFolder, open_team, require_packages
from hotloop.cli.takehome.verified import displayed, verified
from hotloop.core.intervals import said
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.team import Team, TeamError

if TYPE_CHECKING:
    from hotloop.takehome.report import TakehomeReport
    from hotloop.takehome.submission import Submission


def _print_schema(wanted: bool) -> None:
    if wanted:
        from hotloop.takehome.report import schema

        print(json.dumps(schema(), indent=2, ensure_ascii=False))
        raise typer.Exit


def run(
    submissions: Annotated[
        list[str],
        typer.Argument(
            metavar="SUBMISSION...", help="Zips, or pseudonyms of candidates who handed in."
        ),
    ],
    received: Annotated[
        str | None,
        typer.Option(
            metavar="DATE-AND-TIME",
            help="When the zips came, such as 2030-01-31T18:00, in UTC; now, if not given.",
            show_default=False,
        ),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="In place of a submission name its report.json: judge again what it is about, "
            "compare, and write nothing. Exit code 1 when its verdicts do not hold.",
        ),
    ] = False,
    jobs: Jobs = None,
    folder: TeamFolder = Path(),
    _schema: Annotated[
        bool,
        typer.Option(
            "--schema",
            callback=_print_schema,
            is_eager=True,
            help="Print the JSON Schema of report.json, and grade nothing.",
        ),
    ] = False,
) -> CommandResult:
    """Judge submissions in the sandbox; write their reports.

    For each a report.json and a report.html, written as soon as it is judged. Exit code 1 when one
    was not taken.
    """
    require_packages()
    from hotloop.tasks.local_judging import default_jobs

    at_once = jobs or default_jobs()
    if verify:
        require_sandbox()
        with judging_line() as say:
            verification = verified(submissions, folder, at_once, say)
        return CommandResult(
            verification.model_dump(mode="json"),
            *displayed(verification),
            exit_code=int(not verification.holds),
        )
    team = open_team(folder)
    moment = None if received is None else _received(received, submissions)
    require_sandbox()
    graded: list[tuple[TakehomeReport, Path]] = []
    refused: dict[str, str] = {}
    with judging_line() as say:
        for number, name in enumerate(submissions, start=1):
            place = f"{number} of {len(submissions)}" if len(submissions) > 1 else ""
            try:
                report, html = _graded(team, name, moment, _placed(say, place), at_once)
            except UserError as error:
                refused[name] = str(error)
                _tell(say, place, f"{name}: not taken.")
            else:
                graded.append((report, html))
                _tell(say, place, f"{report.pseudonym}: {said(report.score)} of 100, {html}")
    document = {"reports": [_document(*one) for one in graded], "refused": refused}
    lines = [Text(f"{name}: not taken. {why}") for name, why in refused.items()]
    return CommandResult(document, *_shown(graded), *lines, exit_code=int(bool(refused)))


def _placed(say: JudgingLine, place: str) -> Callable[[str], None]:
    return lambda text: say(f"{place}, {text}" if place else text)


def _tell(say: JudgingLine, place: str, text: str) -> None:
    """Print what is done at once: the report is written, whatever comes of the others."""
    if place:
        say.print(f"{place}: {text}")


def _graded(
    team: Team,
    name: str,
    received: datetime | None,
    say: Callable[[str], None],
    jobs: int,
) -> tuple[TakehomeReport, Path]:
    """Grade a zip, or a pseudonym's last hand-in; return the report and its HTML page.

    Raises UserError if it cannot be graded.
    """
    from hotloop.takehome import grading

    try:
        submission = _taken(team, _zip(team, name), received)
        report = grading.grade(
            submission,
            team,
            on_progress=lambda text: say(f"{submission.manifest.pseudonym}: {text}"),
            jobs=jobs,
        )
        _, html = grading.write(report, team)
        team.audit(account(), f"had {report.pseudonym} graded")
    except OSError as error:
        raise UserError(f"{error.filename or 'A file'}: {error.strerror}.") from None
    except KeyError as error:
        message = f"This Hotloop does not have what the pack asks: {error.args[0]}."
        raise UserError(message) from None
    return report, html


def _taken(team: Team, path: Path, received: datetime | None) -> Submission:
    """Open a submission and keep it in the team's folder; a refusal is logged in the audit log."""
    from hotloop.takehome.archive import RefusedSubmission
    from hotloop.takehome.submission import open_submission

    try:
        submission = open_submission(path, team, received=received)
    except RefusedSubmission as error:
        team.audit(account(), f"was given a submission that is not taken: {error.code}")
        raise
    noted = submission.received
    if received not in (None, noted):
        raise UserError(f"It was taken before, as of {noted:%Y-%m-%d %H:%M} UTC; that stays.")
    pack = submission.manifest.pack
    is_new = submission.digest not in [one.digest for one in team.pack(pack).submitted]
    team.keep(submission, path)
    if is_new:
        pseudonym = submission.manifest.pseudonym
        team.audit(account(), f"took in the work of {pseudonym}, of {noted:%Y-%m-%d %H:%M} UTC")
    return submission


def _received(text: str, submissions: Sequence[str]) -> datetime:
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UserError(f"{text!r} is no date and time such as 2030-01-31T18:00.") from None
    if moment > datetime.now(UTC):
        raise UserError(f"{text} UTC is still to come: say when the zip came.")
    if names := [name for name in submissions if not Path(name).is_file()]:
        raise UserError(f"There is no file {names[0]!r}: --received is for zips that came by mail.")
    return moment


def _zip(team: Team, name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    pack = team.find(name).pack
    handed_in = team.submissions(pack)
    if not handed_in:
        raise TeamError(f"{name} has not handed in yet.")
    return handed_in[-1]


def _document(report: TakehomeReport, html: Path) -> dict[str, Any]:
    return {
        "pseudonym": report.pseudonym,
        "pack": str(report.pack),
        "score": asdict(report.score),
        "judged": asdict(report.judged),
        "tasks": {
            task.task: {
                "verdict": task.verdict,
                "points": asdict(task.points),
                "possible": task.possible,
            }
            for task in report.tasks
        },
        "signals": [signal.model_dump(mode="json") for signal in report.signals],
        "report": str(html.with_suffix(".json")),
        "page": str(html),
    }


def _shown(graded: Sequence[tuple[TakehomeReport, Path]]) -> list[RenderableType]:
    """Return the table, and below it each page's path, unwrapped so that it can be copied."""
    if not graded:
        return []
    paths = (Text(f"{report.pseudonym}: {html}", no_wrap=True) for report, html in graded)
    return [_table([report for report, _ in graded]), *paths]


def _table(graded: Sequence[TakehomeReport]) -> Table:
    from hotloop.core import intervals

    table = Table("candidate, task", "verdict", "points", "sentence", box=SIMPLE_HEAD)
    for column in table.columns[:3]:
        column.no_wrap = True
    for report in graded:
        score = f"{intervals.said(report.score)} of 100"
        table.add_row(Text(report.pseudonym, "bold"), "", score, "")
        for task in report.tasks:
            low, high = task.points.low, task.points.high
            points = f"{low:g}" if task.points.settled else f"{low:g} to {high:g}"
            verdict = task.verdict or ("by hand" if task.kind == "written" else "")
            sentence = Text(task.sentence)
            table.add_row(f"  {task.task}", verdict, f"{points} of {task.possible:g}", sentence)
        if report.signals:
            count = len(report.signals)
            signals = f"{count} integrity signal{'' if count == 1 else 's'}: see the report"
            table.add_row("", "", "", Text(signals, "yellow"))
        table.add_section()
    return table
