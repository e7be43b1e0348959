"""`hotloop takehome scorecard`: file the marks that people give, then reveal the name."""

from __future__ import annotations

from collections.abc import Sequence
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

if TYPE_CHECKING:
    from hotloop.takehome.agreement import Agreement
    from hotloop.takehome.scorecard import Criterion, Review, ScorecardForm


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
    by: Annotated[
        str,
        typer.Option(help="Whose marks these are, if not yours.", show_default="your account"),
    ] = "",
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Say who it is, once the scorecard is filed.")
    ] = False,
) -> CommandResult:
    """File the marks that people give; then see the name.

    Without an option: what is to be marked, and what you filed; once you have filed, or all
    have, also what the others did.
    """
    team = open_team(folder)
    from hotloop.takehome import scorecard as cards
    from hotloop.takehome import scorecard_form
    from hotloop.takehome.agreement import agreement

    record = team.find(candidate)
    pack = record.pack
    if reveal:
        name = team.reveal(pack, account())
        document = {"pseudonym": record.pseudonym, "name": name}
        return CommandResult(document, Text(f"{record.pseudonym} is {name}"))
    current_form = cards.form(team, pack)
    reviewer = by.strip() or account()
    if form is not None:
        _write_form(current_form, form)
    if file is not None:
        marks = scorecard_form.read(file, current_form.report.pseudonym)
        cards.file(team, pack, marks, reviewer)
        if reviewer != account():
            team.audit(account(), f"filed it for {reviewer}")
    reviews = cards.reviews(team, pack, current_form.report.submission.digest)
    own = cards.own(team, pack, reviewer)
    is_earlier = own is not None and own not in reviews
    document = {
        "criteria": [criterion.model_dump(mode="json") for criterion in current_form.criteria],
        "form": str(form) if form else None,
        "filed_on_an_earlier_hand_in": is_earlier,
        "filed": own.model_dump(mode="json") if own else None,
        "reviewers": {"wanted": record.reviewers, "filed": [one.by for one in reviews]},
        "agreement": None,
    }
    shown = [_criteria(current_form, None if is_earlier else own)]
    if len(reviews) > 1 and (own in reviews or len(reviews) >= record.reviewers):
        side_by_side = agreement(reviews, current_form.criteria)
        sentence = side_by_side.sentence()
        document["agreement"] = {**side_by_side.model_dump(mode="json"), "sentence": sentence}
        shown += [_side_by_side(side_by_side)]
    text = Text(_next(candidate, form, own, reviews, record.reviewers, is_earlier=is_earlier))
    return CommandResult(document, *shown, text)


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


def _criteria(form: ScorecardForm, filed: Review | None) -> Table:
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


def _side_by_side(side_by_side: Agreement) -> Table:
    table = Table("what", *side_by_side.reviewers, "difference", box=SIMPLE_HEAD)
    for row in side_by_side.criteria:
        marks = ["–" if mark is None else str(mark) for mark in row.marks]
        table.add_row(Text(row.title), *marks, "–" if row.spread is None else str(row.spread))
    table.add_row("Decision", *side_by_side.decisions, "")
    table.caption = side_by_side.sentence()
    return table


def _next(
    candidate: str,
    form: Path | None,
    own: Review | None,
    reviews: Sequence[Review],
    wanted: int,
    *,
    is_earlier: bool,
) -> str:
    lines: list[str] = []
    if own is not None:
        known = "after the name was known" if own.name_known else "before the name was known"
        about = ", on an earlier hand-in: its marks do not count for the last one" * is_earlier
        by = f"Version {own.version} was filed by {own.by} {known}: {own.decision}{about}."
        lines.append(by)
    if wanted > 1:
        names = f" ({', '.join(one.by for one in reviews)})" if reviews else ""
        lines.append(f"{len(reviews)} of {wanted} reviewers have filed{names}.")
    if form is not None:
        lines.append(f"Fill in {form}, then: hotloop takehome scorecard {candidate} --file {form}")
    elif own is None or is_earlier:
        begin = "File another one" if is_earlier else "You have filed nothing. Begin"
        lines.append(f"{begin}: hotloop takehome scorecard {candidate} --form marks.yaml")
    return "\n".join(lines)
