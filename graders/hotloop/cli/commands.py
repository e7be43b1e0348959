"""All commands by name. One is imported when it is asked for: each start would else load them all,
and with them a database's client and the notebooks' library.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from hotloop.cli.answer import with_json


@dataclass(frozen=True)
class Group:
    """Commands that are listed on one help page.

    sections: their names, by whom or what they are for, in the order of the page. The command
    NAME is `run` in hotloop/cli/NAME.py, and GROUP NAME in hotloop/cli/GROUP/NAME.py.
    """

    help: str
    sections: dict[str, tuple[str, ...]]

    @property
    def names(self) -> list[str]:
        """The names of all commands."""
        return [name for names in self.sections.values() for name in names]


HOTLOOP = "hotloop"

GROUPS = {
    HOTLOOP: Group(
        "Training and interviews for ML performance engineers.",
        {
            "Learn": (
                "placement", "modules", "start", "lab", "check", "interview", "questions",
                "progress", "cuda", "serving", "doctor", "demo",
            ),
            "Teach, hire, write": ("course", "takehome", "author"),
        },
    ),
    "cuda": Group(
        "CUDA C++ without a GPU: run, check and compile programs.",
        {"Commands": ("run", "check", "compile")},
    ),
    "serving": Group(
        "A real Triton Inference Server on this machine.",
        {"Commands": ("install", "run")},
    ),
    "course": Group(
        "For instructors: a course with nbgrader.",
        {
            "Prepare": ("new", "trial"),
            "Learner": ("ask",),
            "Grade": ("due", "grade", "regrade", "attempts", "requests", "page"),
        },
    ),
    "takehome": Group(
        "For hiring teams: exercises for candidates, and what comes back.",
        {
            "Candidate": ("status", "submit"),
            "Team": (
                "init", "new", "extend", "grade", "compare", "scorecard", "calibrate", "forget",
            ),
            "Portal": ("serve", "account"),
        },
    ),
    "author": Group(
        "For authors, in a clone: modules and their checks.",
        {"Commands": ("new", "render", "proofs", "evidence", "exploits")},
    ),
}  # fmt: skip


class Commands(TyperGroup):
    """Typer's group, whose commands come from GROUPS."""

    @property
    def _group(self) -> Group:
        return GROUPS[self.name or HOTLOOP]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """In the order of the help page."""
        return self._group.names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, imported now. None where there is none of that name."""
        if cmd_name not in self._group.names:
            # The error names those that are spelt alike, of the ones that it finds here.
            for name in self._group.names:
                self.get_command(ctx, name)
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _command(self.name or HOTLOOP, cmd_name)
        return self.commands[cmd_name]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The commands by section: short enough for a screen."""
        for section, names in self._group.sections.items():
            with formatter.section(section):
                formatter.write_dl([(name, self._short(ctx, name)) for name in names])
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} COMMAND --help` explains a command.")

    def _short(self, ctx: Any, name: str) -> str:
        return self.get_command(ctx, name).get_short_help_str(limit=66)


def _command(group: str, name: str) -> Any:
    if name in GROUPS:
        return Commands(
            name=name, help=GROUPS[name].help, no_args_is_help=True, rich_markup_mode=None
        )
    below = "" if group == HOTLOOP else f"{group}."
    module = importlib.import_module(f"hotloop.cli.{below}{name}")
    app = typer.Typer(add_completion=False)
    app.command(name)(with_json(module.run))
    return typer.main.get_command(app)
