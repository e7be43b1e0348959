"""Options that select questions."""

from typing import Annotated, get_args

import typer

from hotloop.cli import find
from hotloop.core.user_error import UserError
from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.interviews import Round
from hotloop.learn.bank.question import Kind
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import Language
from hotloop.tasks import curriculum

Track = Annotated[str | None, typer.Option("--track", help="Only those of this track.")]
Level = Annotated[str | None, typer.Option("--level", help="beginner, intermediate or advanced.")]
Module = Annotated[str | None, typer.Option("--module", help="Only those of this module.")]
OfKind = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        metavar="|".join(get_args(Kind)),
        help="Explain, read a profile, find a bug in a kernel, or design a system.",
        show_default=False,
    ),
]
ForRole = Annotated[
    str | None,
    typer.Option(
        "--role",
        help="Only those for this job: training, kernels, compilers, inference or deployment.",
    ),
]
InRound = Annotated[
    Round | None,
    typer.Option(
        "--round",
        metavar="|".join(get_args(Round)),
        help="Only those for this round of interviews.",
        show_default=False,
    ),
]
InLanguage = Annotated[Language, typer.Option("--language", help="en, or zh for Chinese.")]
Numbers = Annotated[
    bool, typer.Option("--numbers", help="Only those that come with numbers to compute.")
]


def chosen(selection: QuestionSelection) -> list[CatalogEntry]:
    """Return the selected questions. Raises UserError for an unknown name, or if none fits."""
    _refuse_unknown(selection)
    try:
        entries = selection.entries()
    except KeyError:
        known = {entry.key for entry in catalog.catalog()}
        known |= {entry.question.id for entry in catalog.catalog()}
        strange = next(key for key in selection.keys if key not in known)
        raise UserError(find.unknown("question", strange, sorted(known))) from None
    if not entries:
        raise UserError("No question fits: leave out an option, or see `hotloop questions`.")
    return entries


def _refuse_unknown(selection: QuestionSelection) -> None:
    levels = curriculum.curriculum().tiers
    if selection.level is not None and selection.level not in levels:
        raise UserError(find.unknown("level", selection.level, levels))
    roles = [role.id for role in curriculum.curriculum().roles]
    if selection.role is not None and selection.role not in roles:
        raise UserError(find.unknown("role", selection.role, roles))
    if selection.track is not None:
        find.track(selection.track)
    if selection.module is not None:
        find.module(selection.module)
