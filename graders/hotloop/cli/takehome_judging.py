"""`hotloop takehome grade`, `verify` and `schema`: from a submission to its report."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import Json, UserError, answering
from hotloop.cli.check import require_sandbox
from hotloop.cli.takehome_folder import TeamFolder, open_team, require_packages, sentences, who
from hotloop.takehome.team import Team, TeamError

if TYPE_CHECKING:
    from hotloop.takehome.report import Report
    from hotloop.takehome.submission import Submission
    from hotloop.takehome.verify import Verification

Tasks = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Tasks judged at once.", show_default="by cores, memory"),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("grade")(grade)
    app.command("verify")(verify)
    app.command("schema")(schema)


def grade(
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
    jobs: Tasks = None,
    team: TeamFolder = Path(),
    as_json: Json = False,
) -> None:
    """Judge submissions in the sandbox and write report.json and report.html for each."""
    with answering(as_json) as answer:
        found = open_team(team)
        moment = None if received is None else _received(received, submissions)
        require_sandbox()
        graded: list[tuple[Report, Path]] = []
        refused: dict[str, str] = {}
        at_once = _at_once(jobs)
        with _spinner() as say:
            for name in submissions:
                try:
                    graded.append(_graded(found, name, moment, say, at_once))
                except _NotTaken as error:
                    refused[name] = str(error)
        document = {"reports": [_document(*one) for one in graded], "refused": refused}
        told = [Text(f"{name}: not taken. {why}") for name, why in refused.items()]
        shown = [*_shown(graded), *told]
        answer.give(document, *shown, exit_code=int(bool(refused)))


def verify(
    report: Annotated[Path, typer.Argument(help="A report.json in a team's folder.")],
    team: Annotated[
        Path | None, typer.Option("--team", help="The team's folder.", show_default=False)
    ] = None,
    jobs: Tasks = None,
    as_json: Json = False,
) -> None:
    """Grade again what a report is about; exit code 1 when its verdicts do not hold."""
    with answering(as_json) as answer:
        require_packages()
        require_sandbox()
        from hotloop.takehome import verify as verifying
        from hotloop.takehome.report import UnreadableReport, read_report
        from hotloop.takehome.submission import RefusedSubmission

        try:
            read = read_report(report)
            folder = open_team(team or verifying.find_team(report))
            at_once = _at_once(jobs)
            with sentences(), _spinner() as say:
                found = verifying.verify(read, folder, file=report, jobs=at_once, on_progress=say)
        except (UnreadableReport, verifying.VerifyError, RefusedSubmission) as error:
            raise UserError(str(error)) from None
        folder.audit(who(), f"verified the report on {read.pseudonym}: {_outcome(found)}")
        shown = (_checks(found), Text(_told(found)))
        answer.give(found.model_dump(mode="json"), *shown, exit_code=int(not found.holds))


def schema(as_json: Json = False) -> None:
    """Print the JSON Schema of report.json."""
    with answering(as_json) as answer:
        from hotloop.takehome.report import schema as report_schema

        document = report_schema()
        text = json.dumps(document, indent=2, ensure_ascii=False)
        answer.give(document, Text(text, no_wrap=True))


class _NotTaken(Exception):
    """One of several submissions could not be graded. The text is one sentence."""


def _graded(
    team: Team,
    name: str,
    received: datetime | None,
    say: Callable[[str], None],
    jobs: int,
) -> tuple[Report, Path]:
    """The report on a zip, or on what a pseudonym has handed in; kept in the team's folder."""
    from hotloop.takehome import grading
    from hotloop.takehome.submission import RefusedSubmission

    try:
        with sentences():
            submission = _taken(team, _zip(team, name), received)
            report = grading.grade(
                submission,
                team,
                on_progress=lambda text: say(f"{submission.manifest.pseudonym}: {text}"),
                jobs=jobs,
            )
            _, html = grading.write(report, team)
            team.audit(who(), f"had {report.pseudonym} graded")
    except (RefusedSubmission, UserError, OSError) as error:
        raise _NotTaken(str(error)) from None
    except KeyError as error:
        said = f"This Hotloop does not have what the pack asks: {error.args[0]}."
        raise _NotTaken(said) from None
    return report, html


def _taken(team: Team, path: Path, received: datetime | None) -> Submission:
    """What was handed in, kept; what is not taken is noted too."""
    from hotloop.takehome.submission import RefusedSubmission, open_submission

    try:
        submission = open_submission(path, team, received=received)
    except RefusedSubmission as error:
        team.audit(who(), f"was given a submission that is not taken: {error.code}")
        raise
    noted = submission.received
    if received not in (None, noted):
        raise UserError(f"It was taken before, as of {noted:%Y-%m-%d %H:%M} UTC; that stays.")
    pack = submission.manifest.pack
    is_new = submission.digest not in [one.digest for one in team.pack(pack).submitted]
    team.keep(submission, path)
    if is_new:
        pseudonym = submission.manifest.pseudonym
        team.audit(who(), f"took in the work of {pseudonym}, of {noted:%Y-%m-%d %H:%M} UTC")
    return submission


def _received(text: str, submissions: Sequence[str]) -> datetime:
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UserError(f"{text!r} is no date and time such as 2030-01-31T18:00.") from None
    if moment > datetime.now(UTC):
        raise UserError(f"{text} UTC is still to come: say when the zip came.")
    if kept := [name for name in submissions if not Path(name).is_file()]:
        raise UserError(f"There is no file {kept[0]!r}: --received is for zips that came by mail.")
    return moment


def _at_once(jobs: int | None) -> int:
    from hotloop.course.grade import default_jobs

    return jobs or default_jobs()


def _zip(team: Team, name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    pack = team.find(name).pack
    kept = team.submissions(pack)
    if not kept:
        raise TeamError(f"{name} has not handed in yet.")
    return kept[-1]


@contextmanager
def _spinner() -> Generator[Callable[[str], None]]:
    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(f"judging {text}")


def _document(report: Report, html: Path) -> dict[str, Any]:
    return {
        "pseudonym": report.pseudonym,
        "pack": str(report.pack),
        "score": report.score.model_dump(),
        "judged": report.judged.model_dump(),
        "tasks": {
            task.task: {
                "verdict": task.verdict,
                "points": task.points.model_dump(),
                "possible": task.possible,
            }
            for task in report.tasks
        },
        "signals": [signal.model_dump(mode="json") for signal in report.signals],
        "report": str(html.with_suffix(".json")),
        "page": str(html),
    }


def _shown(graded: Sequence[tuple[Report, Path]]) -> list[RenderableType]:
    """The table, and below it each page's path, whole: it is there to be copied."""
    if not graded:
        return []
    paths = (Text(f"{report.pseudonym}: {html}", no_wrap=True) for report, html in graded)
    return [_table([report for report, _ in graded]), *paths]


def _table(graded: Sequence[Report]) -> Table:
    from hotloop.takehome import intervals

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
            said = f"{count} integrity signal{'' if count == 1 else 's'}: see the report"
            table.add_row("", "", "", Text(said, "yellow"))
        table.add_section()
    return table


def _checks(found: Verification) -> Table:
    table = Table("task", "rung", "then", "now", "standing", "what the judge says now")
    table.box = SIMPLE_HEAD
    for rung in found.rungs:
        standing = rung.standing.replace("_", " ")
        table.add_row(rung.task, rung.rung, rung.then, rung.now, standing, Text(rung.sentence))
    return table


def _outcome(found: Verification) -> str:
    return "it holds" if found.holds else "it does not hold"


def _told(found: Verification) -> str:
    lines = [f"The report's verdicts {'hold' if found.holds else 'do not hold'}."]
    lines += [f"The report was altered: {what}." for what in found.altered]
    if not found.same_grader:
        lines.append("The grader is another one than the report was made by.")
    still_open = sum(rung.standing == "open" for rung in found.rungs)
    if still_open:
        lines.append(f"{still_open} rungs could not be measured here and now: they say nothing.")
    return "\n".join(lines)
