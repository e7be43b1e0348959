"""`hotloop takehome account`: accounts of a team's members for the portal."""

from __future__ import annotations

import getpass
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from hotloop.service.takehome.rights import Right

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
    may: Annotated[
        str,
        typer.Option(
            help="What the account may do: invite, review, reveal, erase, with commas.",
            show_default="all",
        ),
    ] = "",
    sso: Annotated[
        str,
        typer.Option(
            metavar="EMAIL|sub:ID",
            help="Who it is at the single sign-on; a new account then has no password.",
            show_default=False,
        ),
    ] = "",
    database: Database = "",
) -> CommandResult:
    """Make, change, delete or list accounts for the portal.

    The password is asked for. With --may alone, an account that there is may do that from now on.
    """
    team = open_team(folder)
    from hotloop.service.settings import own_folder
    from hotloop.service.tables import opened
    from hotloop.service.takehome import passwords, rights
    from hotloop.service.web import accounts

    allowed = rights.parsed(may) if may else list(rights.RIGHTS)
    if sso:
        require("sso")

    engine = opened(own_folder(team.folder), database)
    try:
        if not name:
            known = accounts.names(engine, passwords.MEMBER)
            return CommandResult(
                {"accounts": known}, Text("\n".join(known) or "There is no account.")
            )
        drawn, done = "", "deleted the account"
        is_known = name in accounts.names(engine, passwords.MEMBER)
        if remove:
            accounts.remove(engine, name, passwords.MEMBER)
        elif is_known and not password and (may or sso):
            done = _changed(engine, name, allowed if may else [], sso)
        elif sso and not password:
            passwords.add_without(engine, name, allowed)
            _changed(engine, name, [], sso)
            done = "made, for single sign-on, the account"
        else:
            chosen, drawn = _password(generate)
            if password:
                passwords.change(engine, name, chosen)
            else:
                passwords.add(engine, name, chosen, allowed)
            done = "set another password of" if password else "made the account"
    finally:
        engine.dispose()
    team.audit(account(), f"{done} {name}")
    document = {"account": name, "removed": remove, **({"password": drawn} if drawn else {})}
    return CommandResult(document, Text(f"{name}: {'deleted' if remove else drawn or 'ready'}"))


def _changed(engine: Engine, name: str, rights: Sequence[Right], sso: str) -> str:
    """Change an account's rights, and who it is at the single sign-on; return what was done."""
    from hotloop.service.takehome.passwords import MEMBER
    from hotloop.service.web import accounts

    done: list[str] = []
    if rights:
        accounts.allow(engine, name, rights, MEMBER)
        done.append(f"allowed {', '.join(rights)} to the account")
    if sso:
        from hotloop.service.takehome.sso import bind

        bind(engine, name, sso)
        done.append("set the single sign-on of the account")
    return " and ".join(done)


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
