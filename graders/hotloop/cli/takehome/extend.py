"""`hotloop takehome extend`: give a candidate more time."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, moment, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account


def run(
    candidate: Annotated[str, typer.Argument(help="A pseudonym, or a pack's id.")],
    until: Annotated[
        str,
        typer.Option(
            metavar="DATE|DATE-AND-TIME",
            help="2030-01-31 for the end of that day, or 2030-01-31T18:00; in UTC.",
        ),
    ],
    folder: TeamFolder = Path(),
) -> CommandResult:
    """Set another date for a candidate.

    It lets one more hand-in in.
    """
    team = open_team(folder)
    end = _end(until)
    record = team.extend(team.find(candidate).pack, end)
    team.audit(account(), f"extended {record.pseudonym} to {moment(end)}")
    document = {"pseudonym": record.pseudonym, "until": end.isoformat()}
    text = f"{record.pseudonym} may hand in until {moment(end)} UTC."
    return CommandResult(document, Text(text))


def _end(text: str) -> datetime:
    """Parse a date and time in UTC; a day means its end, as in a role and in the portal."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
        return datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UserError(
            f"{text!r} is no day such as 2030-01-31, and no time such as 2030-01-31T18:00."
        ) from None
