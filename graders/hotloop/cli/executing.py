"""The options of commands that grade with executors."""

from __future__ import annotations

from typing import Annotated

import typer

Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Gradings at once.", show_default="by cores, memory"),
]
Ray = Annotated[
    str,
    typer.Option(
        "--ray",
        envvar="HOTLOOP_RAY",
        metavar="ADDRESS",
        help="Grade on the nodes of this Ray cluster; `local` starts one here.",
        show_default=False,
    ),
]
