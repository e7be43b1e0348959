"""`hotloop course invite`: make accounts and invitation links."""

from contextlib import closing
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require
from hotloop.cli.course.serve import FOLDER, Database, Folder, Host, Port, Url, settings


def run(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="As the gradebook has them.")
    ],
    folder: Folder = FOLDER,
    url: Url = "",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    database: Database = "",
    instructor: Annotated[
        bool, typer.Option("--instructor", help="They may see the queue and invite others.")
    ] = False,
    days: Annotated[int, typer.Option(min=1, max=366, help="How long the links work.")] = 14,
) -> CommandResult:
    """Make accounts, and print a link for each: it works once.

    Who has it runs `hotloop login LINK`.
    """
    require("serve")
    from datetime import timedelta

    from hotloop.service.course import people
    from hotloop.service.course.service import Service
    from hotloop.service.web import listening as web

    role: people.Role = "instructor" if instructor else "learner"
    with closing(Service.open(settings(folder, web.address(url, host, port), database))) as service:
        links = {
            name: service.link(people.invite(service.engine, name, role, timedelta(days=days)))
            for name in names
        }
    return CommandResult(
        {"invited": links}, Text("\n".join(f"{name}  {link}" for name, link in links.items()))
    )
