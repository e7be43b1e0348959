"""Commands are imported only when they are used, and all of them exist."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.commands import GROUPS, HOTLOOP

HEAVY = ("sqlalchemy", "alembic", "nbgrader", "torch", "fastapi")

LEAVES = [
    (*(() if group == HOTLOOP else (group,)), name)
    for group, found in GROUPS.items()
    for name in found.names
    if name not in GROUPS
]
SCREEN = {"COLUMNS": "80", "LINES": "24"}


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, words, env=SCREEN)
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--version",), ("course", "--help"), ("author", "--help")])
def test_a_start_imports_nothing_that_only_some_commands_need(words: tuple[str, ...]) -> None:
    program = (
        "import sys\nfrom hotloop.cli import app\n"
        f"try:\n    app({list(words)!r})\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "print([name for name in sys.modules if name.startswith('hotloop.cli.takehome')])"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.splitlines()[-2:] == ["[]", "[]"]


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_each_command_explains_itself_and_offers_json(words: tuple[str, ...]) -> None:
    shown = run(*words, "--help")
    assert f" {' '.join(words)} " in shown
    assert "--json" in shown


@pytest.mark.parametrize("group", GROUPS)
def test_a_help_page_fits_a_screen_and_names_each_command_in_its_place(group: str) -> None:
    lines = run(*(() if group == HOTLOOP else (group,)), "--help").splitlines()
    # The page of all commands lists who needs what; a hiring team has three kinds of commands.
    assert len(lines) <= {HOTLOOP: 34, "takehome": 30}.get(group, 28)
    assert max(map(len, lines)) <= 80
    expected = [
        name
        for section, names in GROUPS[group].sections.items()
        for name in (f"{section}:", *names)
    ]
    begun = [line.strip().split("  ")[0] for line in lines]
    assert [begin for begin in begun if begin in expected] == expected


def test_there_are_as_few_commands_as_at_the_last_count() -> None:
    """A new command needs a reason; otherwise make it an option of an existing one."""
    # What a learner uses is at the top: `ask` was in the instructor's group. `mcp` is started by an
    # assistant, so it has a name of its own.
    assert len(GROUPS[HOTLOOP].names) <= 23
    # `author selftest` decides what a machine may judge; `author evidence` only records. `course
    # collect` fetches all modules at once; `course grade` executes what was fetched. `course
    # release` hands out all modules again, which nbgrader does one by one. What a company owes its
    # candidates are acts of their own: `takehome feedback` and `export`; so are `backup` and
    # `restore`, and `ats`, which sets up what another program asks.
    # `author attack` asks programs for new attacks, for hours and into a log; `author exploits`
    # runs a list.
    assert len(LEAVES) <= 63


def test_a_misspelt_command_is_told_what_is_near() -> None:
    assert "Did you mean 'modules'?" in run("modles", code=2)
    assert "Did you mean 'regrade'" in run("course", "regrad", code=2)


def test_the_modules_fit_a_screen_and_one_is_shown_with_its_tasks() -> None:
    lines = run("modules").splitlines()
    assert len(lines) <= 30
    assert any(line.startswith("  fused_softmax ") for line in lines)
    assert "online_pass" not in "".join(lines)
    assert "online_pass" in run("modules", "fused_softmax")
    assert "did you mean fused_softmax" in " ".join(run("modules", "softmax", code=2).split())


@pytest.mark.slow
def test_what_is_listed_of_exploits_fits_a_screen() -> None:
    assert len(run("author", "exploits", "--list").splitlines()) <= 24
    assert len(run("author", "exploits", "--list", "--all").splitlines()) > 100


@pytest.mark.slow
def test_the_doctor_shows_tasks_of_a_module_that_is_named() -> None:
    assert "fused_softmax.online_pass" not in run("doctor")
    assert "fused_softmax.online_pass" in run("doctor", "fused_softmax")
    assert "fused_softmax.online_pass" in run("doctor", "--all")
