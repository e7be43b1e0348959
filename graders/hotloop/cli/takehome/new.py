"""`hotloop takehome new`: make a pack for one candidate."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, moment, open_team
from hotloop.cli.takehome.roles import role_for
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.instructions import requirement
from hotloop.takehome.team import AlreadyInvited

_AGAIN = (
    "Nothing was made: more time is given with `hotloop takehome extend`. If it is another person "
    "of the same name, or a second pack is meant, say --again."
)


def run(
    role: Annotated[str, typer.Argument(metavar="ROLE|MODULE", help="What the pack is for.")],
    name: Annotated[str, typer.Option(help="The candidate's name; sealed, and not in the pack.")],
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

    A module without a role gets one, of two hours and a half. None is made whose `make lab` fails.
    """
    team = open_team(folder)
    from hotloop.takehome import installable
    from hotloop.takehome.pack import make_pack
    from hotloop.tasks.variants import same_for_all

    wanted = role_for(team, role)
    installable.require(team, wanted)
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
        "file": str(pack.path),
        "until": pack.manifest.expires.isoformat(),
        "installs": requirement(wanted),
        "same_for_all": alike,
    }
    lines = [
        f"{pack.pseudonym}: {pack.path}",
        "Send it, or let the portal do it.",
        f"Work is taken until {moment(pack.manifest.expires)} UTC.",
    ]
    if alike:
        lines.append(
            f"The same for every candidate, but for names: {', '.join(alike)}. The published "
            "solution answers them; ask about them in the interview."
        )
    return CommandResult(document, Text("\n".join(lines)))
