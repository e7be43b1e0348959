"""`hotloop lab`: open JupyterLab in a started folder, or in a classroom."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.core.user_error import UserError
from hotloop.cli.answer import CommandResult, require
from hotloop.learn.pack import work_log

_OPENED = ("lab.ipynb", "START.md")
"""The first of these that exists is opened: a started module's notebook, a classroom's guide."""


def run(
    folder: Annotated[Path, typer.Argument(help="A started folder, or a classroom.")] = Path(),
    options: Annotated[
        list[str] | None,
        typer.Argument(help="After `--`: options for jupyter lab.", show_default=False),
    ] = None,
) -> CommandResult:
    """Open JupyterLab in a started folder.

    With --json only say what would be started.
    """
    command = lab_command(folder, options or [])
    document = {"folder": str(folder.resolve()), "command": command}

    def open_lab(as_json: bool) -> int:
        if as_json:
            return 0
        work_log.note(folder, "opened")
        return subprocess.call(command, cwd=folder, env=_environment())

    return CommandResult(document, Text(), then=open_lab)


def lab_command(folder: Path, options: list[str]) -> list[str]:
    """Return the command that opens `folder`. Raises UserError if it or a package is missing."""
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: make one with `hotloop start MODULE`.")
    require("course")
    opened = [name for name in _OPENED if (folder / name).is_file()][:1]
    return [sys.executable, "-m", "jupyterlab", *opened, *options]


def _environment() -> dict[str, str]:
    """Return an environment with this Python first on PATH, and the thread counts of graded code.

    Otherwise code compiled in a kernel would use another number of threads than when it is timed,
    and be slow.
    """
    from hotloop.judge.launcher import default_threads, worker_environment  # with numpy

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**worker_environment(default_threads()), **os.environ, "PATH": path}
