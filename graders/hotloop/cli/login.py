"""`hotloop login`: log in to the service of a class."""

from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient

JOIN = "/join/"


def run(
    link: Annotated[
        str,
        typer.Argument(help="The invitation that your instructor has sent.", show_default=False),
    ] = "",
    page: Annotated[
        bool, typer.Option("--page", help="For an instructor: print a link to the pages.")
    ] = False,
) -> CommandResult:
    """Log in to the service that judges for your class.

    From then on `hotloop check` and `check("…")` in a notebook ask it; `hotloop check --on here`
    judges on this machine. The link works once; what comes of it is stored in a file of yours.
    """
    if page:
        address = ServiceClient.at(place.required()).page()
        return CommandResult({"page": address}, Text(f"Open it within ten minutes: {address}"))
    url, separator, invitation = link.partition(JOIN)
    if not separator:
        raise UserError(f"{link[:100]!r} is no invitation: it looks like https://host/join/….")
    server = ServiceClient(place.origin(url))
    login = server.log_in(invitation)
    place.remember(server.url, login.token)
    document = {"server": server.url, "name": login.name, "role": login.role}
    return CommandResult(document, Text(f"You are logged in to {server.url} as {login.name}."))
