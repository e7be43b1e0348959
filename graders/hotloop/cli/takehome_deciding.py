"""`hotloop takehome compare`, `scorecard` and `calibrate`: what a team makes of reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast
from uuid import UUID

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import Json, UserError, answering, log
from hotloop.cli.check import require_sandbox
from hotloop.cli.takehome_folder import TeamFolder, open_team, sentences, who
from hotloop.takehome.quality_words import counted
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from hotloop.takehome.calibration import Calibration, TaskCalibration
    from hotloop.takehome.compare import Comparison
    from hotloop.takehome.report import CheckQuality, Report
    from hotloop.takehome.role import Role
    from hotloop.takehome.scorecard import Filing, Form, Scorecard


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("compare")(compare)
    app.command("scorecard")(scorecard)
    app.command("calibrate")(calibrate)


def compare(
    candidates: Annotated[
        list[str] | None,
        typer.Argument(help="Pseudonyms or report.json files; all of the role if none is given."),
    ] = None,
    team: TeamFolder = Path(),
    role: Annotated[str | None, typer.Option(help="Of which role.", show_default=False)] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Leave out what was measured for none of them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put candidates beside each other; whose intervals overlap are not ranked."""
    with answering(as_json) as answer:
        found = open_team(team)
        from hotloop.takehome.compare import CompareError
        from hotloop.takehome.compare import compare as compared

        with sentences():
            reports = _reports(found, candidates, role)
        cards = {r.pseudonym: card for r in reports if (card := _card(found, r.pack))}
        try:
            result = compared(reports, cards, measured_only=measured)
        except CompareError as error:
            raise UserError(str(error)) from None
        told = Text("\n".join([*_basis(result), *result.cautions]))
        answer.give(result.model_dump(mode="json"), _places(result), told)


def scorecard(
    candidate: Annotated[str, typer.Argument(help="The pseudonym.")],
    team: TeamFolder = Path(),
    form: Annotated[
        Path | None,
        typer.Option(help="Write an empty form here, to fill in.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="File this form, filled in.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """File the marks that people give; from then on `reveal` tells the name.

    Without an option: what is to be marked, and what was filed.
    """
    with answering(as_json) as answer:
        found = open_team(team)
        from hotloop.takehome import scorecard as cards

        with sentences():
            pack = found.find(candidate).pack
        try:
            asked = cards.form(found, pack)
            if form is not None:
                _write_form(asked, form)
            filed = cards.read(found, pack)
            if file is not None:
                filed = cards.file(found, pack, _read_form(file, asked.report.pseudonym), who())
        except cards.ScorecardError as error:
            raise UserError(str(error)) from None
        document = {
            "criteria": [criterion.model_dump(mode="json") for criterion in asked.criteria],
            "form": str(form) if form else None,
            "filed": filed.model_dump(mode="json") if filed else None,
        }
        answer.give(document, _criteria(asked, filed), Text(_next(candidate, form, filed)))


def calibrate(
    role: Annotated[str, typer.Argument(help="Which role.")],
    team: TeamFolder = Path(),
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="First judge the reference and all wrong answers of its tasks here, in place of "
            "what was measured before.",
        ),
    ] = False,
    speed: Annotated[
        bool, typer.Option(help="With --measure: also what measures speed, which takes longest.")
    ] = True,
    times: Annotated[
        int, typer.Option(min=1, max=100, help="With --measure: how often each is judged.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Say how hard, how long and how telling a role's tasks are, and how strong their checks."""
    with answering(as_json) as answer:
        found = open_team(team)
        from hotloop.takehome import calibration

        with sentences():
            if measure:
                require_sandbox()
                _measure(found, found.role(role), speed, times)
            result = calibration.calibrate(found, role)
        told = Text(result.warning or f"From {result.candidates} candidates.", "yellow")
        answer.give(result.model_dump(mode="json"), _calibration(result), told)


# --- compare --------------------------------------------------------------------------------------


def _reports(team: Team, names: Sequence[str] | None, role: str | None) -> list[Report]:
    from hotloop.takehome.report import JSON_NAME, UnreadableReport, read_report

    reports = team.folder / "reports"
    if names:
        wanted = [Path(n) if n.endswith(".json") else None for n in names]
        paths = [
            path or reports / str(team.find(name).pack) / JSON_NAME
            for name, path in zip(names, wanted, strict=True)
        ]
    else:
        paths = sorted(reports.glob(f"*/{JSON_NAME}"))
    try:
        found = [read_report(path) for path in paths]
    except UnreadableReport as error:
        raise UserError(str(error)) from None
    return [report for report in found if role in (None, report.role)]


def _card(team: Team, pack: UUID) -> Scorecard | None:
    from hotloop.takehome import scorecard as cards

    try:
        return cards.read(team, pack)
    except cards.ScorecardError as error:
        raise UserError(str(error)) from None


def _places(result: Comparison) -> Table:
    from hotloop.takehome.intervals import said

    table = Table("candidate", "score of 100", "place", "is above", "is below")
    table.box = SIMPLE_HEAD
    for one in result.candidates:
        place = f"{one.best_place}"
        if one.worst_place != one.best_place:
            place = f"{one.best_place} to {one.worst_place}"
        table.add_row(
            one.pseudonym,
            said(one.score),
            place,
            ", ".join(one.is_above) or "–",
            ", ".join(one.is_below) or "–",
        )
    return table


def _basis(result: Comparison) -> list[str]:
    ranked = sum(pair.higher is not None for pair in result.pairs)
    said = f"{ranked} of {len(result.pairs)} pairs are ranked; the others’ intervals overlap."
    if not result.left_out:
        return [said]
    return [said, f"Left out, since measured for none: {', '.join(result.left_out)}."]


# --- scorecard ------------------------------------------------------------------------------------


def _write_form(asked: Form, path: Path) -> None:
    """A file to fill in. What was filled in already is not overwritten."""
    if path.exists():
        raise UserError(f"{path} exists already: file it, or name another one.")
    document = {"candidate": asked.report.pseudonym, **asked.empty().model_dump(mode="json")}
    help_ = {c.key: {"title": c.title, "rubric": c.rubric} for c in asked.criteria}
    text = json.dumps({**document, "help": help_}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _read_form(path: Path, candidate: str) -> Filing:
    """The form, filled in. UserError when it is not as it must be, or was written for another one:
    filed by mistake it would stay, and open the wrong name.
    """
    from pydantic import ValidationError

    from hotloop.takehome import scorecard as cards

    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict):
            given = cast("dict[str, Any]", document)
            given.pop("help", None)
            if (meant := given.pop("candidate", candidate)) != candidate:
                raise UserError(f"{path} is the form for {meant}, not for {candidate}.")
        return cards.Filing.model_validate(document)
    except (OSError, ValueError) as error:
        if not isinstance(error, ValidationError):
            raise UserError(f"{path} cannot be read: {error}.") from None
        lines = [f"{path}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise UserError("\n".join(lines)) from None


def _criteria(asked: Form, filed: Scorecard | None) -> Table:
    table = Table("key", "what", "mark", "note", box=SIMPLE_HEAD)
    marks = filed.marks if filed else {}
    for criterion in asked.criteria:
        given = marks.get(criterion.key)
        mark = str(given.mark) if given and given.mark is not None else "–"
        title = criterion.title + ("" if criterion.required else " (if asked)")
        table.add_row(criterion.key, Text(title), mark, Text(given.note if given else ""))
    return table


def _next(candidate: str, form: Path | None, filed: Scorecard | None) -> str:
    if filed is not None:
        known = "after the name was known" if filed.name_known else "before the name was known"
        return f"Version {filed.version} was filed by {filed.by} {known}: {filed.decision}."
    if form is not None:
        return f"Fill in {form}, then: hotloop takehome scorecard {candidate} --file {form}"
    return f"Nothing is filed. Begin: hotloop takehome scorecard {candidate} --form marks.json"


# --- calibrate ------------------------------------------------------------------------------------


def _measure(team: Team, role: Role, speed: bool, times: int) -> None:
    from hotloop import evidence
    from hotloop.takehome import measured_quality, whole_file

    module = role.module
    tasks = [task.id for task in role.chosen() if task.kind == "code"]
    if not tasks:
        raise UserError(f"{role.role} has no task that a judge judges.")
    try:
        run = evidence.measure(module, log, tasks=tasks, speed=speed, times=times)
    except evidence.EvidenceError as error:
        raise UserError(str(error)) from None
    path = measured_quality.path_of(team, module)
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(run.model_dump(mode="json", exclude_none=True), indent=1)
    whole_file.replace(path, f"{text}\n".encode())
    team.audit(who(), f"measured the checks of {module}")


def _calibration(result: Calibration) -> Table:
    table = Table(
        "task", "candidates", "mean share", "minutes", "discrimination", "wrong pass", "wrong fail"
    )
    table.box = SIMPLE_HEAD
    for task in result.tasks:
        table.add_row(*_calibrated(task))
        for remark in task.remarks:
            table.add_row(Text(f"  {remark}", "yellow"))
    return table


def _calibrated(task: TaskCalibration) -> list[str]:
    share, minutes, telling = task.difficulty.share, task.time.median, task.discrimination
    return [
        task.task,
        str(task.difficulty.candidates),
        "–" if share is None else f"{share:.0%}",
        "–" if minutes is None else f"{minutes:.0f} of {task.time.planned:.0f}",
        "–" if telling.correlation is None else f"{telling.correlation:.2f}",
        *_checked(task.checks),
    ]


def _checked(checks: CheckQuality | None) -> tuple[str, str]:
    if checks is None:
        return "–", "–"
    return (
        counted(len(checks.wrong_passed), checks.wrong_answers, checks.wrong_pass_rate),
        counted(len(checks.reference_failed), checks.references, checks.wrong_fail_rate),
    )
