"""`hotloop takehome forget`: delete the data of candidates."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_consent
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account


def run(
    candidates: Annotated[
        list[str] | None, typer.Argument(help="Pseudonyms, or packs' ids.", show_default=False)
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="All whose time of keeping is over.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: TeamFolder = Path(),
) -> CommandResult:
    """Delete all data of candidates.

    That is pack, work, report, scorecard and name, and what reports on others say of them.
    """
    team = open_team(folder)
    records = [team.find(name) for name in candidates or []]
    if due:
        records += [r for r in team.due(datetime.now(UTC)) if r not in records]
    if not records and not due:
        raise UserError("Name a candidate, or ask for all that is due with --due.")
    names = ", ".join(record.pseudonym for record in records)
    question = f"Delete all data of {names} permanently?"
    require_consent(question, "Nothing was deleted.", yes=yes or not records)
    for record in records:
        team.forget(record.pack, account())
    left = team.sweep(account())
    from hotloop.takehome import forgetting

    traces = forgetting.clear(team)
    lines = [f"{record.pseudonym}: deleted" for record in records]
    lines += [f"pack {pack}: a crash had left something of it; deleted" for pack in left]
    lines += [
        f"{path} names a candidate who is gone, and was edited or cannot be read: "
        "grade that work again, or delete the file."
        for path in traces
    ]
    document = {
        "forgotten": [record.pseudonym for record in records],
        "left": [str(pack) for pack in left],
        "traces": [str(path) for path in traces],
    }
    text = Text("\n".join(lines or ["Nothing is due."]))
    return CommandResult(document, text, exit_code=int(bool(traces)))
