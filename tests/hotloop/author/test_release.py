"""`make release`: what it writes, and what it refuses to release."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from hotloop.author import release
from hotloop.core.user_error import UserError

DIGESTS = {"fused_softmax": "ab" * 32}
CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A.\n\n## [0.1.0] - 2030-01-01\n\n- B.\n"
)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with the three files that a release writes."""
    for path, text in {
        release.VERSION: '"""Doc."""\n\n__version__ = "0.1.0"\n__all__ = ["__version__"]\n',
        release.CHANGELOG: CHANGELOG,
        release.DIGESTS: '{"0.1.0": {"fused_softmax": "cd"}}\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "Somebody")
    git(tmp_path, "config", "user.email", "somebody@example.org")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "begin")
    return tmp_path


def test_a_release_is_version_date_digests_and_tag(small: Path) -> None:
    release.release(small, "0.2.0", date(2030, 5, 6), DIGESTS)
    assert '\n__version__ = "0.2.0"\n__all__' in (small / release.VERSION).read_text()
    title = "## [Unreleased]\n\n## [0.2.0] - 2030-05-06\n\n### Added\n\n- A.\n\n## [0.1.0]"
    assert title in (small / release.CHANGELOG).read_text()
    releases = json.loads((small / release.DIGESTS).read_text())
    assert list(releases.items()) == [("0.1.0", {"fused_softmax": "cd"}), ("0.2.0", DIGESTS)]
    assert git(small, "status", "--porcelain") == ""
    assert git(small, "rev-parse", "v0.2.0^{commit}") == git(small, "rev-parse", "HEAD")
    with pytest.raises(UserError, match="tag v0"):
        release.require_releasable(small, "0.2.0")
    with pytest.raises(UserError, match="nothing under"):
        release.require_releasable(small, "0.3.0")


def test_the_first_release_may_have_the_version_that_is_there(small: Path) -> None:
    release.require_releasable(small, "0.1.0")
    release.require_releasable(small, "0.10.0")


def _untracked(folder: Path) -> None:
    (folder / "forgotten.py").touch()


def _changed(folder: Path) -> None:
    (folder / release.VERSION).write_text('__version__ = "0.1.1"\n')


def _nothing(folder: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("do", "version", "why"),
    [
        (_untracked, "0.2.0", "not clean"),
        (_changed, "0.2.0", "not clean"),
        (_nothing, "0.0.9", "lower than 0.1.0"),
        (_nothing, "", "no version"),
        (_nothing, "v0.2.0", "no version"),
        (_nothing, "0.2", "no version"),
        (_nothing, "0.2.0; rm -rf x", "no version"),
    ],
)
def test_what_is_refused_changes_nothing(
    small: Path, do: Callable[[Path], None], version: str, why: str
) -> None:
    do(small)
    before = git(small, "status", "--porcelain"), git(small, "rev-parse", "HEAD")
    with pytest.raises(UserError, match=why):
        release.release(small, version, date(2030, 5, 6), DIGESTS)
    assert (git(small, "status", "--porcelain"), git(small, "rev-parse", "HEAD")) == before
    assert git(small, "tag") == ""


def test_make_runs_the_tests_between_the_check_and_the_release(clone: Path) -> None:
    command = ["make", "-n", "-o", ".venv/.hotloop-test", "release", "VERSION=9.9.9"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(command, check=True, cwd=clone, capture_output=True, text=True, env=plain)
    program = ".venv/bin/python -m hotloop.author.release '9.9.9'"
    assert done.stdout.splitlines() == [f"{program} --check", ".ci/run", program]


def test_the_clone_has_what_a_release_writes(clone: Path) -> None:
    """One version, one unreleased section, one list of digests, with a section for each."""
    changelog = (clone / release.CHANGELOG).read_text(encoding="utf-8")
    assert changelog.count("## [Unreleased]\n") == 1
    assert (clone / release.VERSION).read_text(encoding="utf-8").count("__version__ = ") == 1
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    releases = json.loads((clone / release.DIGESTS).read_text(encoding="utf-8"))
    assert list(releases) == released[::-1]
