"""Commands are imported when they are asked for, and all of them are there."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.commands import FILES

HEAVY = ("sqlalchemy", "alembic", "nbgrader", "torch", "fastapi")


def test_a_start_imports_nothing_that_only_some_commands_need() -> None:
    program = (
        "import sys\nfrom hotloop.cli import app\n"
        "try:\n    app(['--version'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", FILES)
def test_each_command_explains_itself(name: str) -> None:
    found = CliRunner().invoke(app, [name, "--help"])
    assert found.exit_code == 0
    assert f" {name} " in found.output


def test_the_help_page_names_them_in_their_order() -> None:
    lines = CliRunner().invoke(app, ["--help"]).output.splitlines()
    words = [line.strip("│ ").split(" ")[0] for line in lines]
    assert [word for word in words if word in FILES] == list(FILES)


def test_a_misspelt_command_is_told_what_is_near() -> None:
    found = CliRunner().invoke(app, ["modles"])
    assert found.exit_code == 2
    assert "Did you mean 'modules'?" in found.output
