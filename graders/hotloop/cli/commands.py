"""All commands by name. One is imported when it is asked for: each start would else load them all,
and with them a database's client and the notebooks' library.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperGroup

_LEARNING = ("placement", "modules", "start", "lab", "check", "interview", "progress")
_TEACHING = ("course", "classroom", "grade", "regrade", "attempts", "demo")
_MAKING = ("render", "doctor", "exploits", "evidence", "proofs")
GROUPS = ("cuda", "serving", "questions", "new", "takehome")

FILES = {
    **{name: name for name in (*_LEARNING, *_TEACHING, *_MAKING)},
    # A module cannot be called like the keyword.
    "class": "class_page",
    **{name: name for name in GROUPS},
}
"""Which file holds a command, in the order of the help page."""


class Commands(TyperGroup):
    """Typer's group, whose commands come from FILES."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """In the order in which people need them."""
        return list(FILES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, imported now. None where there is none of that name."""
        if cmd_name not in FILES:
            # The error names those that are spelt alike, of the ones that it finds here.
            for name in FILES:
                self.get_command(ctx, name)
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _command(cmd_name)
        return self.commands[cmd_name]


def _command(name: str) -> Any:
    module = importlib.import_module(f"hotloop.cli.{FILES[name]}")
    command = typer.main.get_command(_app(name, module))
    command.name = name
    return command


def _app(name: str, module: ModuleType) -> typer.Typer:
    """A file holds one command, `run`, or a group of them, `app`."""
    if name in GROUPS:
        return module.app
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name)(module.run)
    return app
