"""`hotloop mcp`: serve the learner's own assistant."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hotloop.cli.answer import CommandResult, log, require
from hotloop.core import data_folder
from hotloop.core.user_error import UserError


def run(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="The folder with your modules, or of one module.", show_default="this one"
        ),
    ] = None,
) -> CommandResult:
    """Serve your own AI assistant, which never gets a solution.

    Speaks the Model Context Protocol over standard input and output. Your assistant starts it; with
    --json it prints what to write into the assistant's settings, and ends.
    """
    require("mcp")
    from hotloop.cli.assistant.server import server

    root = (folder or Path()).resolve()
    if not root.is_dir():
        raise UserError(f"There is no folder {root}.")
    served = server(root)

    def serve(as_json: bool) -> int:
        if as_json:
            return 0
        if sys.stdin.isatty():
            log("Waiting for an assistant. `hotloop mcp --json` prints its settings; Ctrl-C ends.")
        served.run("stdio")
        return 0

    return CommandResult({"mcpServers": {"hotloop": _settings(root)}}, then=serve)


def _settings(folder: Path) -> dict[str, Any]:
    """Return how an assistant starts the server: many start it without this environment."""
    command: dict[str, Any] = {
        "command": sys.executable,
        "args": ["-m", "hotloop.cli", "mcp", str(folder)],
    }
    if elsewhere := os.environ.get(data_folder.VARIABLE):
        command["env"] = {data_folder.VARIABLE: elsewhere}
    return command
