"""`hotloop takehome scorecard`: file the marks that people give, then reveal the name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from hotloop.takehome.scorecard import Criterion, Scorecard, ScorecardForm


def run(
    candidate: Annotated[str, typer.Argument(help="The pseudonym.")],
    folder: TeamFolder = Path(),
    form: Annotated[
        Path | None,
        typer.Option(help="Write an empty form here, to fill in.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="File this form, filled in.", show_default=False)
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Say who it is, once the scorecard is filed.")
    ] = False,
) -> CommandResult:
    """File the marks that people give; then see the name.

    Without an option: what is to be marked, and what was filed.
    """
    team = open_team(folder)
    from hotloop.takehome import scorecard as cards
    from hotloop.takehome import scorecard_form

    record = team.find(candidate)
    pack = record.pack
    if reveal:
        name = team.reveal(pack, account())
        document = {"pseudonym": record.pseudonym, "name": name}
        return CommandResult(document, Text(f"{record.pseudonym} is {name}"))
    current_form = cards.form(team, pack)
    filed = cards.read(team, pack)
    if form is not None:
        _write_form(current_form, form)
    if file is not None:
        marks = scorecard_form.read(file, current_form.report.pseudonym)
        filed = cards.file(team, pack, marks, account())
    is_earlier = filed is not None and _is_earlier(team, filed)
    document = {
        "criteria": [criterion.model_dump(mode="json") for criterion in current_form.criteria],
        "form": str(form) if form else None,
        "filed": filed.model_dump(mode="json") if filed else None,
        "filed_on_an_earlier_hand_in": is_earlier,
    }
    shown = _criteria(current_form, None if is_earlier else filed)
    return CommandResult(document, shown, Text(_next(candidate, form, filed, is_earlier)))


def _write_form(form: ScorecardForm, path: Path) -> None:
    """Write an empty form.

    Raises UserError if the file exists, so that no marks are overwritten.
    """
    from hotloop.takehome import scorecard_form

    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(scorecard_form.text(form))
    except FileExistsError:
        raise UserError(f"{path} exists already: file it, or name another one.") from None


def _is_earlier(team: Team, filed: Scorecard) -> bool:
    """Return whether it is about an earlier hand-in than the last; its marks then do not count."""
    submitted = team.pack(filed.pack).submitted
    return bool(submitted) and submitted[-1].digest != filed.submission


def _criteria(form: ScorecardForm, filed: Scorecard | None) -> Table:
    table = Table("key", "what", "mark", "note", box=SIMPLE_HEAD)
    marks = filed.marks if filed else {}
    for criterion in form.criteria:
        entry = marks.get(criterion.key)
        mark = str(entry.mark) if entry and entry.mark is not None else "–"
        title = Text(f"{criterion.title}{_remark(criterion)}")
        table.add_row(criterion.key, title, mark, Text(entry.note if entry else ""))
    return table


def _remark(criterion: Criterion) -> str:
    if criterion.kind in ("question", "assistants"):
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
