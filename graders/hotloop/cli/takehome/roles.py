"""Finds a team's roles, or makes one for a module."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from hotloop.cli import find
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.learn.pack import notice
from hotloop.takehome.role import WHEEL, TakehomeRole, read_role, starting_text
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum

_ROLE_ID = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_ASKED = {
    "HOTLOOP_COMPANY": "Who hires (for the privacy notice)",
    "HOTLOOP_CONTACT": "E-mail address or https:// page at which candidates reach a person",
}


def role_for(team: Team, name: str, about: tuple[str, str] | None = None) -> TakehomeRole:
    """Return the role with that id, or of that module; make one if there is none.

    about: contact and privacy notice of a role that is made. Raises UserError if several roles use
    the module, or the name is unknown.
    """
    roles = team.roles()
    for role in roles:
        if role.role == name:
            return role
    of_module = [role for role in roles if role.module == name]
    if len(of_module) == 1:
        return of_module[0]
    if of_module:
        listed = ", ".join(role.role for role in of_module)
        raise UserError(f"Several roles use {name}: name one of {listed}.")
    module = known_module(name, [role.role for role in roles])
    about = about or contact_and_notice(roles)
    return read_role(add_role(team, module.id, module.title, module, about))


def known_module(name: str, roles: list[str]) -> curriculum.Module:
    """Return the module. Raises UserError that also offers the ids of `roles`."""
    modules = [module.id for module in curriculum.modules()]
    if name not in modules:
        raise UserError(find.unknown("role or module", name, [*roles, *modules]))
    return find.module(name)


def contact_and_notice(
    roles: Sequence[TakehomeRole], company: str = "", contact: str = ""
) -> tuple[str, str]:
    """Return contact and privacy notice of a new role: as named, or those of another role.

    Where neither is known, the environment says them, or the person at the terminal. Raises
    UserError if nobody does.
    """
    if roles and not company and not contact:
        return roles[0].contact, roles[0].privacy_notice
    company = company or _asked("HOTLOOP_COMPANY")
    contact = contact or _asked("HOTLOOP_CONTACT")
    return contact, notice.draft(company, contact)


def _asked(variable: str) -> str:
    said = os.environ.get(variable, "")
    if not said and sys.stdin.isatty():
        said = str(typer.prompt(_ASKED[variable], err=True))
    if not said.strip():
        raise UserError(
            "Candidates must know who hires and whom to write to: say it in HOTLOOP_COMPANY and "
            "HOTLOOP_CONTACT, or with `hotloop takehome init` and "
            '`--company "Example Inc." --contact hiring@example.org`.'
        )
    return said.strip()


def add_role(
    team: Team, role: str, title: str, module: curriculum.Module, about: tuple[str, str]
) -> Path:
    """Write a role's takehome.yaml, with this version's wheel if the team's folder has it.

    about: contact and privacy notice.

    Raises UserError if the file exists, or the id is invalid.
    """
    if not _ROLE_ID.fullmatch(role):
        raise UserError(f"{role!r} is no role's id: small letters, digits, _ and - only.")
    path = team.role_path(role)
    if path.exists():
        raise UserError(f"{path} is there already: change it, or choose another --role.")
    path.parent.mkdir(parents=True, exist_ok=True)
    wheel = WHEEL if (team.folder / WHEEL).is_file() else ""
    text = starting_text(role, title, module, wheel=wheel, about=about)
    path.write_text(text, encoding="utf-8")
    read_role(path)
    team.audit(account(), f"made the role {role}")
    return path
