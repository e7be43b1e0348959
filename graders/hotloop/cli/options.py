"""Options that several commands share, and the check for a course folder."""

from pathlib import Path
from typing import Annotated

import typer

from hotloop.cli.answer import require
from hotloop.core.user_error import UserError

Course = Annotated[Path, typer.Option("--course", help="The course's folder.")]
Modules = Annotated[
    list[str] | None,
    typer.Argument(metavar="[MODULE]...", help="Which; all if not given.", show_default=False),
]
OneModule = Annotated[
    str | None, typer.Argument(help="Which module; all if not given.", show_default=False)
]
OnlyTasks = Annotated[
    list[str] | None, typer.Option("--task", help="Only this task; may be repeated.")
]
Students = Annotated[list[str] | None, typer.Option("--student", help="Whose; may be repeated.")]
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

Server = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="URL",
        help="The service of your class.",
        show_default="where you are logged in",
    ),
]


def require_course(folder: Path) -> None:
    """Raise UserError if packages for courses are missing, or the folder holds no course."""
    require("course")
    from hotloop.course.config import CONFIG_FILE

    if not (folder / CONFIG_FILE).is_file():
        raise UserError(
            f"There is no course in {folder.resolve()}: make one with `hotloop course new MODULE`."
        )
