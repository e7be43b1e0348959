"""`hotloop takehome export`: a copy of all data about a candidate, for the candidate."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.account import Database
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.team import PackRecord, Team


def run(
    candidate: Annotated[str, typer.Argument(help="A pseudonym, or a pack's id.")],
    to: Annotated[Path, typer.Option(help="The zip to write.", show_default=False)],
    folder: TeamFolder = Path(),
    database: Database = "",
) -> CommandResult:
    """Write a zip with all data about a candidate.

    It is for sending to them when they ask for it. It holds their name, so whoever marks their work
    should not open it; the audit log records it.
    """
    team = open_team(folder)
    from hotloop.takehome.data_export import export

    record = team.find(candidate)
    if to.exists():
        raise UserError(f"{to} exists already: name another file.")
    _name, data = export(team, record.pack, account(), _of_portal(team, record, database))
    to.write_bytes(data)
    to.chmod(0o600)
    document = {"pseudonym": record.pseudonym, "file": str(to)}
    return CommandResult(document, Text(f"{to}: all data about {record.pseudonym}, by name."))


def _of_portal(team: Team, record: PackRecord, database: str) -> dict[str, Any]:
    """Return what the portal's database has, if the team has a portal."""
    if not database and not (team.folder / "portal").is_dir():
        return {}
    from hotloop.service.settings import own_folder
    from hotloop.service.tables import opened
    from hotloop.service.takehome.links import kept

    engine = opened(own_folder(team.folder), database)
    try:
        return kept(engine, record.pack)
    finally:
        engine.dispose()
