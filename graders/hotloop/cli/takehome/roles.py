"""Finds a team's roles, or makes one for a module."""

import re
from pathlib import Path

from hotloop.cli import find
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.role import WHEEL, TakehomeRole, read_role, starting_text
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum

_ROLE_ID = re.compile(r"[a-z][a-z0-9_-]{0,60}")


def role_for(team: Team, name: str) -> TakehomeRole:
    """Return the role with that id, or of that module; make one if there is none.

    Raises UserError if several roles use the module, or the name is unknown.
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
    return read_role(add_role(team, module.id, module.title, module))


def known_module(name: str, roles: list[str]) -> curriculum.Module:
    """Return the module. Raises UserError that also offers the ids of `roles`."""
    modules = [module.id for module in curriculum.modules()]
    if name not in modules:
        raise UserError(find.unknown("role or module", name, [*roles, *modules]))
    return find.module(name)


def add_role(team: Team, role: str, title: str, module: curriculum.Module) -> Path:
    """Write a role's takehome.yaml, with this version's wheel if the team's folder has it.

    Raises UserError if the file exists, or the id is invalid.
    """
    if not _ROLE_ID.fullmatch(role):
        raise UserError(f"{role!r} is no role's id: small letters, digits, _ and - only.")
    path = team.role_path(role)
    if path.exists():
        raise UserError(f"{path} is there already: change it, or choose another --role.")
    path.parent.mkdir(parents=True, exist_ok=True)
    wheel = WHEEL if (team.folder / WHEEL).is_file() else ""
    path.write_text(starting_text(role, title, module, wheel=wheel), encoding="utf-8")
    read_role(path)
    team.audit(account(), f"made the role {role}")
    return path
