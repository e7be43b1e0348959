"""`hotloop takehome compare`, `scorecard` and `calibrate`: what a team makes of reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import Json, UserError, answering, log
from hotloop.cli.check import require_sandbox
from hotloop.cli.takehome_folder import TeamFolder, open_team, sentences, who, why
from hotloop.takehome.quality_words import counted
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from hotloop.takehome.calibration import Calibration, TaskCalibration
    from hotloop.takehome.compare import Comparison
    from hotloop.takehome.report import CheckQuality, Report
    from hotloop.takehome.role import Role
    from hotloop.takehome.scorecard import Criterion, Filing, Form, Scorecard
    from hotloop.takehome.task_figures import Difficulty, Discrimination, Time


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
    """Put candidates beside each other; whose intervals overlap are not ranked.

    Exit code 1 when somebody is left out: a file of theirs cannot be read, or was altered.
    """
    with answering(as_json) as answer:
        found = open_team(team)
        from hotloop.takehome.compare import CompareError
        from hotloop.takehome.compare import compare as compared

        with sentences():
            reports, cards, left_out = _readable(found, _chosen(found, candidates, role), role)
        try:
            result = compared(reports, cards, measured_only=measured)
        except CompareError as error:
            raise UserError("\n".join([str(error), *left_out])) from None
        document = {**result.model_dump(mode="json"), "unreadable": left_out}
        told = Text("\n".join([*_basis(result), *result.cautions]))
        faults = Text("\n".join(left_out), "red")
        answer.give(document, _places(result), told, faults, exit_code=int(bool(left_out)))


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
            filed = cards.read(found, pack)
            if form is not None:
                _write_form(asked, form)
            if file is not None:
                filed = cards.file(found, pack, _read_form(file, asked.report.pseudonym), who())
        except cards.ScorecardError as error:
            raise UserError(str(error)) from None
        with sentences():
            is_earlier = filed is not None and _is_earlier(found, filed)
        document = {
            "criteria": [criterion.model_dump(mode="json") for criterion in asked.criteria],
            "form": str(form) if form else None,
            "filed": filed.model_dump(mode="json") if filed else None,
            "filed_on_an_earlier_hand_in": is_earlier,
        }
        shown = _criteria(asked, None if is_earlier else filed)
        answer.give(document, shown, Text(_next(candidate, form, filed, is_earlier)))


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

        if not measure and (times != 1 or not speed):
            raise UserError("--times and --no-speed say how to measure: say --measure as well.")
        with sentences():
            if measure:
                require_sandbox()
                _measure(found, found.role(role), speed, times)
            result = calibration.calibrate(found, role)
        answer.give(result.model_dump(mode="json"), _calibration(result), _remarks(result))


# --- compare --------------------------------------------------------------------------------------


def _chosen(team: Team, names: Sequence[str] | None, role: str | None) -> dict[str, Path]:
    """Reports by what their candidate is called; all of the role where nobody is named."""
    from hotloop.takehome.report import JSON_NAME

    if names:
        return {
            name: Path(name) if name.endswith(".json") else _report_of(team, team.find(name).pack)
            for name in names
        }
    records, _ = team.readable_packs()
    known = {str(record.pack): record for record in records}
    chosen: dict[str, Path] = {}
    for path in sorted(team.folder.glob(f"reports/*/{JSON_NAME}")):
        record = known.get(path.parent.name)
        if record is None:
            chosen[path.parent.name] = path
        elif role in (None, record.role):
            chosen[record.pseudonym] = path
    return chosen


def _report_of(team: Team, pack: UUID) -> Path:
    from hotloop.takehome.report import JSON_NAME

    return team.folder / "reports" / str(pack) / JSON_NAME


def _readable(
    team: Team, chosen: Mapping[str, Path], role: str | None
) -> tuple[list[Report], dict[str, Scorecard], list[str]]:
    """Reports, the scorecards that go with them, and who is left out and why."""
    from hotloop.takehome import scorecard as cards
    from hotloop.takehome.report import UnreadableReport
    from hotloop.takehome.written_here import OwnReports

    reports: list[Report] = []
    filed: dict[str, Scorecard] = {}
    left_out: list[str] = []
    own = OwnReports(team)
    for name, path in chosen.items():
        try:
            report = own.read(path)
            card = cards.read(team, report.pack)
        except (UnreadableReport, cards.ScorecardError) as error:
            left_out.append(f"{name} is left out. {error}")
            continue
        if role not in (None, report.role):
            continue
        reports.append(report)
        if card is not None:
            filed[report.pseudonym] = card
    return reports, filed, left_out


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
    from hotloop.takehome import scorecard_form

    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(scorecard_form.text(asked))
    except FileExistsError:
        raise UserError(f"{path} exists already: file it, or name another one.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {why(error)}.") from None


def _read_form(path: Path, candidate: str) -> Filing:
    from hotloop.takehome import scorecard_form

    try:
        with sentences():
            return scorecard_form.read(path, candidate)
    except scorecard_form.WrongCandidate as error:
        raise UserError(str(error)) from None


def _is_earlier(team: Team, filed: Scorecard) -> bool:
    """Whether it is about another hand-in than the last one: its marks are worth nothing then."""
    submitted = team.pack(filed.pack).submitted
    return bool(submitted) and submitted[-1].digest != filed.submission


def _criteria(asked: Form, filed: Scorecard | None) -> Table:
    table = Table("key", "what", "mark", "note", box=SIMPLE_HEAD)
    marks = filed.marks if filed else {}
    for criterion in asked.criteria:
        given = marks.get(criterion.key)
        mark = str(given.mark) if given and given.mark is not None else "–"
        title = Text(f"{criterion.title}{_remark(criterion)}")
        table.add_row(criterion.key, title, mark, Text(given.note if given else ""))
    return table


def _remark(criterion: Criterion) -> str:
    if criterion.kind == "question":
        return " (if asked)"
    is_beside = criterion.kind == "task" and not criterion.counts
    return " (does not count in the score)" if is_beside else ""


def _next(candidate: str, form: Path | None, filed: Scorecard | None, is_earlier: bool) -> str:
    lines: list[str] = []
    if filed is not None:
        known = "after the name was known" if filed.name_known else "before the name was known"
        about = ", on an earlier hand-in: its marks do not count for the last one" * is_earlier
        by = f"Version {filed.version} was filed by {filed.by} {known}: {filed.decision}{about}."
        lines.append(by)
    if form is not None:
        lines.append(f"Fill in {form}, then: hotloop takehome scorecard {candidate} --file {form}")
    elif filed is None or is_earlier:
        begin = "File another one" if is_earlier else "Nothing is filed. Begin"
        lines.append(f"{begin}: hotloop takehome scorecard {candidate} --form marks.yaml")
    return "\n".join(lines)


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
    """Each figure with its 95 % interval."""
    table = Table(box=SIMPLE_HEAD)
    for heading in (
        "task", "candidates", "mean share", "minutes", "discrimination", "wrong pass", "wrong fail",
    ):  # fmt: skip
        table.add_column(heading, overflow="fold")
    for task in result.tasks:
        table.add_row(*_calibrated(task))
    return table


def _remarks(result: Calibration) -> Text:
    """What a team may want to look at, and how little few candidates say."""
    lines = [f"{task.task}: {remark}" for task in result.tasks for remark in task.remarks]
    lines.append(result.warning or f"From {result.candidates} candidates.")
    return Text("\n".join(lines), "yellow")


def _calibrated(task: TaskCalibration) -> list[str]:
    return [
        task.task,
        str(task.difficulty.candidates),
        _share(task.difficulty),
        _minutes(task.time),
        _correlation(task.discrimination),
        *_checked(task.checks),
    ]


def _share(found: Difficulty) -> str:
    if found.share is None or found.interval is None:
        return "not measured"
    return f"{found.share:.0%} ({100 * found.interval.low:.0f}–{found.interval.high:.0%})"


def _minutes(found: Time) -> str:
    if found.median is None:
        return "not measured"
    logs = f"{found.candidates} log{'' if found.candidates == 1 else 's'}"
    spread = found.interval
    around = "" if spread is None else f" ({spread.low:.0f}–{spread.high:.0f})"
    return f"{found.median:.0f}{around} of {found.planned:.0f}, {logs}"


def _correlation(found: Discrimination) -> str:
    if found.correlation is None:
        return "not measured"
    if found.low is None or found.high is None:
        return f"{found.correlation:.2f} (no interval)"
    return f"{found.correlation:.2f} ({found.low:.2f} to {found.high:.2f})"


def _checked(checks: CheckQuality | None) -> tuple[str, str]:
    if checks is None:
        return "–", "–"
    return (
        counted(len(checks.wrong_passed), checks.wrong_answers, checks.wrong_pass_rate),
        counted(len(checks.reference_failed), checks.references, checks.wrong_fail_rate),
    )
