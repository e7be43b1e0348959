"""`hotloop takehome compare`: compare candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from hotloop.learn.predicting.scores import VivaScore
    from hotloop.takehome.compare import CandidateComparison
    from hotloop.takehome.report import TakehomeReport
    from hotloop.takehome.scorecard import Scorecard


def run(
    candidates: Annotated[
        list[str] | None,
        typer.Argument(help="Pseudonyms or report.json files; all of the role if none is given."),
    ] = None,
    folder: TeamFolder = Path(),
    role: Annotated[str | None, typer.Option(help="Of which role.", show_default=False)] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Leave out what was measured for none of them.")
    ] = False,
) -> CommandResult:
    """Put candidates beside each other.

    Those whose intervals overlap are not ranked. Exit code 1 when somebody is left out: a file of
    theirs cannot be read, or was altered.
    """
    team = open_team(folder)
    from hotloop.takehome.compare import CompareError
    from hotloop.takehome.compare import compare as compared

    reports, cards, vivas, left_out = _readable(team, _chosen(team, candidates, role), role)
    try:
        result = compared(reports, cards, vivas, measured_only=measured)
    except CompareError as error:
        raise UserError("\n".join([str(error), *left_out])) from None
    document = {**result.model_dump(mode="json"), "unreadable": left_out}
    remarks = Text("\n".join([*_basis(result), *result.cautions]))
    faults = Text("\n".join(left_out), "red")
    code = int(bool(left_out))
    return CommandResult(
        document, _places(result), remarks, _tasks(result), *_vivas(result), faults, exit_code=code
    )


def _chosen(team: Team, names: Sequence[str] | None, role: str | None) -> dict[str, Path]:
    """Return report files by the candidate's name; all of the role if no name is given."""
    from hotloop.takehome.report import JSON_NAME

    if names:
        return {
            name: Path(name) if name.endswith(".json") else team.report_path(team.find(name).pack)
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


def _readable(
    team: Team, chosen: Mapping[str, Path], role: str | None
) -> tuple[list[TakehomeReport], dict[str, Scorecard], dict[str, VivaScore], list[str]]:
    """Return the reports, their scorecards and vivas, and a line for each candidate left out."""
    from hotloop.takehome import scorecard as cards
    from hotloop.takehome import viva
    from hotloop.takehome.report import UnreadableReport
    from hotloop.takehome.report_digests import OwnReports

    reports: list[TakehomeReport] = []
    filed: dict[str, Scorecard] = {}
    vivas: dict[str, VivaScore] = {}
    left_out: list[str] = []
    own = OwnReports(team)
    for name, path in chosen.items():
        try:
            report = own.read(path)
            card = cards.read(team, report.pack)
            answered = viva.score_of(team, report.pack, report.submission.digest)
        except (UnreadableReport, cards.ScorecardError, viva.VivaError) as error:
            left_out.append(f"{name} is left out. {error}")
            continue
        if role not in (None, report.role):
            continue
        reports.append(report)
        if card is not None:
            filed[report.pseudonym] = card
        if answered is not None:
            vivas[report.pseudonym] = answered
    return reports, filed, vivas, left_out


def _places(result: CandidateComparison) -> Table:
    from hotloop.core.intervals import said

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


def _tasks(result: CandidateComparison) -> Table:
    """Return each candidate's share of each task's points."""
    from hotloop.takehome.compare import share_words

    names = (f"{task.task}\nweight {task.weight:g}" for task in result.tasks)
    table = Table("task by task", *names)
    table.box = SIMPLE_HEAD
    for one in result.candidates:
        shares = (share_words(one.tasks[task.task]) for task in result.tasks)
        table.add_row(one.pseudonym, *shares)
    return table


def _basis(result: CandidateComparison) -> list[str]:
    ranked = sum(pair.higher is not None for pair in result.pairs)
    ranking = f"{ranked} of {len(result.pairs)} pairs are ranked; the others’ intervals overlap."
    if not result.left_out:
        return [ranking]
    return [ranking, f"Left out, since measured for none: {', '.join(result.left_out)}."]


def _vivas(result: CandidateComparison) -> list[Table]:
    """Return a table of viva scores; [] if no candidate had a viva."""
    with_viva = [one for one in result.candidates if one.viva is not None]
    if not with_viva:
        return []
    from hotloop.takehome.compare import VIVA_COLUMNS, VIVA_NOTE, viva_words

    table = Table("viva", *VIVA_COLUMNS)
    table.box = SIMPLE_HEAD
    table.caption = VIVA_NOTE
    for one in with_viva:
        assert one.viva is not None
        table.add_row(one.pseudonym, *viva_words(one.viva))
    return [table]
