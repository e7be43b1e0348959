"""All commands by name.

A command's module is imported when the command is used: importing all of them, with a database
client and notebook libraries, would slow every start.
"""

import importlib
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from hotloop.cli.answer import with_json


@dataclass(frozen=True)
class Group:
    """Commands that are listed on one help page.

    sections: command names by heading, in the order of the page. The command NAME is `run` in
    hotloop/cli/NAME.py, and GROUP NAME is `run` in hotloop/cli/GROUP/NAME.py.
    """

    help: str
    sections: dict[str, tuple[str, ...]]

    @property
    def names(self) -> list[str]:
        """Names of all commands."""
        return [name for names in self.sections.values() for name in names]


HOTLOOP = "hotloop"

GROUPS = {
    HOTLOOP: Group(
        "Training and interviews for ML performance engineers.",
        {
            "Learn": (
                "placement", "modules", "start", "lab", "check", "interview", "questions",
                "progress", "mcp", "trace", "cuda", "serving", "doctor", "demo",
            ),
            "In a class": ("login", "submit", "feedback", "ask", "board"),
            "Teach, hire, write": ("course", "takehome", "author", "judge"),
        },
    ),
    "cuda": Group(
        "CUDA C++ without a GPU: run, check and compile programs.",
        {"Commands": ("run", "compile")},
    ),
    "course": Group(
        "For instructors: a course with nbgrader, and a judge for a class.",
        {
            "Prepare": ("new", "release"),
            "Grade": (
                "due", "points", "collect", "grade", "regrade", "attempts", "requests", "page",
                "export",
            ),
            "A service, privacy": ("serve", "invite", "forget"),
        },
    ),
    "takehome": Group(
        "For hiring teams: exercises for candidates, and what comes back.",
        {
            "Candidate": ("status", "submit"),
            "Team": (
                "init", "new", "extend", "grade", "viva", "compare", "scorecard", "calibrate",
                "baseline", "serve", "account", "ats",
            ),
            "Candidates' data": ("feedback", "export", "forget", "backup", "restore"),
        },
    ),
    "author": Group(
        "For authors, in a clone: modules and their checks.",
        {
            "Commands": (
                "new", "render", "proofs", "selftest", "evidence", "calibrate", "exploits",
                "attack", "export",
            ),
        },
    ),
}  # fmt: skip


class Commands(TyperGroup):
    """Typer's group, with commands from GROUPS."""

    @property
    def _group(self) -> Group:
        return GROUPS[self.name or HOTLOOP]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the help page."""
        return self._group.names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command and return it. Returns None for an unknown name."""
        if cmd_name not in self._group.names:
            # Typer's error suggests similar names among the commands that are loaded here.
            for name in self._group.names:
                self.get_command(ctx, name)
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _command(self.name or HOTLOOP, cmd_name)
        return self.commands[cmd_name]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by section."""
        for section, names in self._group.sections.items():
            with formatter.section(section):
                commands = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl([(name, c.get_short_help_str(limit=66)) for name, c in commands])
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} COMMAND --help` explains a command.")


def _command(group: str, name: str) -> Any:
    if group == HOTLOOP and name in GROUPS:
        subgroup = GROUPS[name]
        return Commands(name=name, help=subgroup.help, no_args_is_help=True, rich_markup_mode=None)
    below = "" if group == HOTLOOP else f"{group}."
    module = importlib.import_module(f"hotloop.cli.{below}{name}")
    app = typer.Typer(add_completion=False)
    app.command(name)(with_json(module.run))
    return typer.main.get_command(app)
