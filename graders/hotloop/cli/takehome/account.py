"""`hotloop takehome account`: accounts of a team's members for the portal."""

import getpass
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account

Database = Annotated[
    str,
    typer.Option(
        envvar="HOTLOOP_PORTAL_DATABASE",
        help="SQLAlchemy URL of the portal's database, such as postgresql+psycopg://…",
        show_default="a file in the team's folder",
    ),
]


def run(
    name: Annotated[str, typer.Argument(help="Of a member of the team.", show_default=False)] = "",
    folder: TeamFolder = Path(),
    remove: Annotated[bool, typer.Option("--remove", help="Delete the account.")] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Set another password; ends all their sessions.")
    ] = False,
    generate: Annotated[
        bool, typer.Option("--generate", help="Draw the password, and print it once.")
    ] = False,
    database: Database = "",
) -> CommandResult:
    """Make an account for the portal, delete one, or list them.

    The password is asked for.
    """
    team = open_team(folder)
    from hotloop.service.settings import own_folder
    from hotloop.service.tables import opened
    from hotloop.service.takehome import passwords
    from hotloop.service.web import accounts

    engine = opened(own_folder(team.folder), database)
    try:
        if not name:
            known = accounts.names(engine, passwords.MEMBER)
            return CommandResult(
                {"accounts": known}, Text("\n".join(known) or "There is no account.")
            )
        if remove:
            accounts.remove(engine, name, passwords.MEMBER)
            drawn, done = "", "deleted the account"
        else:
            chosen, drawn = _password(generate)
            change = passwords.change if password else passwords.add
            change(engine, name, chosen)
            done = "set another password of" if password else "made the account"
    finally:
        engine.dispose()
    team.audit(account(), f"{done} {name}")
    document = {"account": name, "removed": remove, **({"password": drawn} if drawn else {})}
    return CommandResult(document, Text(f"{name}: {'deleted' if remove else drawn or 'ready'}"))


def _password(generate: bool) -> tuple[str, str]:
    """Return the password, and again if it was generated and must be shown, else ""."""
    if generate:
        drawn = secrets.token_urlsafe(18)
        return drawn, drawn
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n"), ""
    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise UserError("The two are not the same.")
    return first, ""
