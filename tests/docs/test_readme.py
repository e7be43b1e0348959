"""What the README and the site's pages tell a reader to type or to open exists."""

import re
import subprocess
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from hotloop.cli import app
from hotloop.tasks import curriculum, module_groups, practice

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site" / "pages"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(SITE.rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
GENERATED = {
    SITE / name
    for name in (
        "authoring.md",
        "benchmarks.md",
        "checks.md",
        "glossary.md",
        "modules/index.md",
        *(f"modules/{module.id}/index.md" for module in curriculum.modules()),
        "practice/index.md",
        "questions/index.md",
        "results.md",
        "takehome/report.schema.json",
    )
}


def code(page: Path) -> list[str]:
    """Lines of console blocks, and inline code."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:console|bash|sh)\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [line for block in blocks for line in block.splitlines()]
    return [line.split("#")[0].strip() for line in [*lines, *inline]]


def commands(page: Path) -> list[list[str]]:
    """What follows `hotloop` in each line of code."""
    words = [line.split() for line in code(page)]
    return [found[1:] for found in words if found[:1] == ["hotloop"] and found[1:]]


def unknown(words: list[str]) -> list[str]:
    """Subcommands and options that `hotloop` does not have. What stands for a value is none."""
    command, given = get_command(app), list(words)
    while isinstance(command, TyperGroup) and given and not given[0].startswith("-"):
        found = command.get_command(typer.Context(command), given[0])
        if found is None:
            return given[:1]
        command, given = found, given[1:]
    options = {"--help"} | {option for parameter in command.params for option in parameter.opts}
    options |= {option for parameter in command.params for option in parameter.secondary_opts}
    return [word for word in given if word.startswith("-") and word.split("=")[0] not in options]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_hotloop_commands_and_their_options_exist(page: Path) -> None:
    for words in commands(page):
        assert not unknown(words), f"hotloop {' '.join(words)}"


def test_commands_are_found_where_they_stand() -> None:
    assert sum(map(len, map(commands, PAGES))) > 60
    assert unknown(["takehome", "invent", "--team", "x"]) == ["invent"]
    assert unknown(["takehome", "grade", "quiet-otter-41", "--invented"]) == ["--invented"]
    assert unknown(["grade"]) == ["grade"]


def test_the_make_targets_exist_that_pages_at_the_root_name() -> None:
    lines = {line for page in PAGES if page.parent == ROOT for line in code(page)}
    lines = {line for line in lines if re.match(r"make [a-z]", line)}
    assert {"make demo", "make test", "make lint", "make test-slow SHARE=6"} <= lines
    for line in sorted(lines):
        done = subprocess.run([*line.split(), "-n"], check=False, cwd=ROOT, capture_output=True)
        assert done.returncode == 0, f"{line}: {done.stderr.decode()}"


def test_ci_runs_the_readmes_test_commands() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert {"make test", "make test-slow"} <= {line.partition(" SHARE")[0] for line in lines}


def test_the_readmes_parts_fit_on_a_screen_each() -> None:
    """What it is, with a picture; first verdict; install; two commands; map."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    what, *parts = re.split(r"(?m)^## ", text)
    assert "![" in what
    titles = [part.partition("\n")[0] for part in parts]
    assert titles == ["Your first verdict", "Install", "Two commands for everything", "Map"]
    assert "make demo" in parts[2]
    assert "make test" in parts[2]
    for part in (what, *parts):
        assert len(part.splitlines()) <= 30, part.partition("\n")[0]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        found = (page.parent / target).resolve()
        assert found in GENERATED or found.exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", [ROOT / "README.md", SITE / "install.md"])
def test_an_install_brings_what_is_checked_or_opened_next(page: Path) -> None:
    module = curriculum.load_module("first_kernels")
    kernels = {f"{module.id}.{task.id}" for task in practice.kernels(module)}
    whole, groups = ",".join(module_groups.of_module(module).groups), ""
    seen: set[str] = set()
    for line in code(page):
        if line.startswith("pip install"):
            groups = line.partition("[")[2].partition("]")[0]
        words = [word for word in line.split() if "://" not in word]
        if words[:2] == ["hotloop", "check"] and len(words) == len(line.split()):
            assert groups == whole or (groups == "cuda" and words[2] in kernels), line
        if words[:3] == ["hotloop", "lab", module.id]:
            assert groups == whole, line
        seen.add(groups)
    assert {"cuda", whole} <= seen


def test_the_first_task_of_a_newcomer_needs_the_small_install_only() -> None:
    for page in (ROOT / "README.md", SITE / "install.md"):
        checks = [line.split()[2] for line in code(page) if line.startswith("hotloop check f")]
        assert checks[0] == "first_kernels.bias_gelu"
