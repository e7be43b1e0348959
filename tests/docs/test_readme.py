"""What the README and the site's pages tell a reader to type or to open exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hotloop.cli.commands import FILES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "site" / "pages").glob("*.md"))]
COMMANDS = set(FILES)


def code(page: Path) -> list[str]:
    """Lines of console blocks, and inline code."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:console|bash|sh)\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [line for block in blocks for line in block.splitlines()]
    return [line.split("#")[0].strip() for line in [*lines, *inline]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_hotloop_commands_exist(page: Path) -> None:
    named = {
        words[1] for line in code(page) if (words := line.split())[:1] == ["hotloop"] and words[1:]
    }
    assert named <= COMMANDS
    assert named or page.name in {"how-the-judge-works.md", "benchmarks.md"}


def test_the_readmes_make_targets_exist() -> None:
    lines = [line for line in code(ROOT / "README.md") if line.startswith("make ")]
    assert {"make demo", "make test"} <= set(lines)
    for line in lines:
        done = subprocess.run([*line.split(), "-n"], check=False, cwd=ROOT, capture_output=True)
        assert done.returncode == 0, f"{line}: {done.stderr.decode()}"


def test_ci_runs_the_readmes_test_commands() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[-2:] == ["make test", "make test-slow"]


def test_the_readme_fits_on_a_screen() -> None:
    """Without the demo's table, which is output."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose = re.sub(
        r"<!-- demo-table: start -->.*<!-- demo-table: end -->", "", text, flags=re.DOTALL
    )
    assert len(prose.splitlines()) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    generated = {"benchmarks.md", "modules/index.md", "results.md", "questions/index.md"}
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if target in generated:
            continue
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
