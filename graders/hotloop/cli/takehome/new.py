"""`hotloop takehome new`: make a pack for one candidate."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.judging import judging_line
from hotloop.cli.takehome.folder import BELOW, TeamFolder, moment, require_packages, team_at
from hotloop.cli.takehome.roles import contact_and_notice, known_module, role_for
from hotloop.core import whole_file
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.instructions import requirement
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.team import DESCRIPTION, AlreadyInvited, Team, TeamError

_AGAIN = (
    "Nothing was made: more time is given with `hotloop takehome extend`. If it is another person "
    "of the same name, or a second pack is meant, say --again."
)


def run(
    role: Annotated[str, typer.Argument(metavar="ROLE|MODULE", help="What the pack is for.")],
    name: Annotated[
        str | None,
        typer.Option(
            help="The candidate's name, sealed and not in the pack; asked for, if not given.",
            show_default=False,
        ),
    ] = None,
    folder: TeamFolder = Path(),
    accommodation: Annotated[
        float | None, typer.Option(min=1, max=10, help="Factor on this candidate's time.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Although somebody of that name has a pack of this role."),
    ] = False,
) -> CommandResult:
    """Make a pack for one candidate.

    A module without a role gets one, of two hours and a half. Where there is no team's folder yet,
    one is made, here or in ./team. None is made whose `make lab` fails.
    """
    require_packages()
    name = _asked(name)
    team, made, about = _team(folder, role)
    from hotloop.takehome.pack import make_pack
    from hotloop.tasks.variants import same_for_all

    wanted, wheel = _installable(team, role_for(team, role, about))
    now, made_by = datetime.now(UTC), account()
    try:
        pack = make_pack(
            team, wanted, name, now=now, accommodation=accommodation, again=again, who=made_by
        )
    except AlreadyInvited as error:
        raise UserError(f"{error} {_AGAIN}") from None
    alike = same_for_all(wanted.module, [task.task for task in wanted.tasks])
    document = {
        "pack": str(pack.manifest.pack),
        "pseudonym": pack.pseudonym,
        "role": wanted.role,
        "team": str(team.folder),
        "file": str(pack.path),
        "until": pack.manifest.expires.isoformat(),
        "installs": requirement(wanted),
        "same_for_all": alike,
    }
    lines = [
        *([made, wheel] if made or wheel else []),
        f"{pack.pseudonym}: {pack.path}",
        "Send it, or let the portal do it.",
        f"Work is taken until {moment(pack.manifest.expires)} UTC.",
    ]
    if alike:
        lines.append(
            f"The same for every candidate, but for names: {', '.join(alike)}. The published "
            "solution answers them; ask about them in the interview."
        )
    return CommandResult(document, Text("\n".join(line for line in lines if line)))


def _asked(name: str | None) -> str:
    """Return the name, asked for at a terminal if it was not given."""
    if name is not None:
        return name
    if not at_terminal():
        raise UserError("Say whom the pack is for: --name. The name is sealed.")
    return typer.prompt("The candidate's name, which is sealed", err=True)


def at_terminal() -> bool:
    """True if somebody can answer a question."""
    return sys.stdin.isatty()


def _team(folder: Path, role: str) -> tuple[Team, str, tuple[str, str] | None]:
    """Return the team and, if it was made just now, a sentence about its folder, and its contact.

    Raises UserError for a folder that was named and is no team's, for an unknown module, and if
    nobody says who hires: nothing is made then.
    """
    place = team_at(folder)
    if folder != Path() or (place / DESCRIPTION).is_file():
        return Team(place), "", None
    known_module(role, [])
    about = contact_and_notice([])
    place = BELOW if any(folder.iterdir()) else folder
    if place.exists() and any(place.iterdir()):
        raise TeamError(f"{place} is no team's folder: name one with --team, or make it elsewhere.")
    team = Team.create(place)
    # Names and work are in it: nothing of it may get into a repository by chance.
    whole_file.replace(team.folder / ".gitignore", b"*\n")
    sentence = (
        f"{team.folder}: a team's folder was made. Keep a copy of {team.folder / 'keys'} where "
        "only the team can read it: without it no pack can be graded."
    )
    return team, sentence, about


def _installable(team: Team, role: TakehomeRole) -> tuple[TakehomeRole, str]:
    """Return a role whose packs can be installed, and a sentence if a wheel was made for it."""
    from hotloop.takehome import installable, own_wheel

    try:
        installable.require(team, role)
    except TeamError:
        path = team.role_path(role.role)
        if role.wheel or role.install or not path.is_file():
            raise
        with judging_line() as say:
            say("building Hotloop's wheel for the packs, a minute or two")
            wheel = own_wheel.make(team.folder).name
        text = path.read_text(encoding="utf-8")
        line, commented = f"wheel: {wheel}", f"# wheel: {wheel}"
        text = text.replace(commented, line, 1) if commented in text else f"{text}{line}\n"
        whole_file.replace(path, text.encode())
        role = team.role(role.role)
        installable.require(team, role)
        return role, f"{team.folder / wheel}: Hotloop's wheel, which packs bring along."
    return role, ""
