"""Make a release of a clone: `make release VERSION=0.2.0`, which runs the tests before it.

It sets the version, dates the changelog's unreleased section, keeps the grader digest of each
module, commits the three files and tags the commit. Nothing is pushed or uploaded.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.judge.grader_digest import grader_digest
from hotloop.tasks import curriculum
from hotloop.verdicts.releases import RELEASES

VERSION = Path("graders/hotloop/__init__.py")
CHANGELOG = Path("CHANGELOG.md")
DIGESTS = Path("graders") / RELEASES.relative_to(Path(__file__).resolve().parents[2])

_VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def require_releasable(clone: Path, version: str) -> None:
    """Raise UserError unless `version` can be released from this clone as it is."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise UserError(f"{version!r} is no version: three numbers are expected, such as 0.2.0.")
    present = _only(_VERSION, clone / VERSION)[1]
    if _numbers(version) < _numbers(present):
        raise UserError(f"{version} is lower than {present}, the version in {VERSION}.")
    if _git(clone, "tag", "--list", f"v{version}"):
        raise UserError(f"The tag v{version} exists: choose the next version.")
    if changes := _git(clone, "status", "--porcelain"):
        raise UserError(f"The tree is not clean: commit or remove these first.\n{changes}")
    if not _only(_UNRELEASED, clone / CHANGELOG)[1].strip():
        raise UserError(f"{CHANGELOG} says nothing under [Unreleased]: write what is new.")


def release(clone: Path, version: str, day: date, digests: Mapping[str, str]) -> None:
    """Write the three files, commit them and tag the commit. digests: by module."""
    require_releasable(clone, version)
    _replace(_VERSION, clone / VERSION, f'__version__ = "{version}"')
    changes = _only(_UNRELEASED, clone / CHANGELOG)[1]
    title = f"## [Unreleased]\n\n## [{version}] - {day.isoformat()}\n"
    _replace(_UNRELEASED, clone / CHANGELOG, title + changes)
    releases = json.loads((clone / DIGESTS).read_text(encoding="utf-8"))
    releases[version] = dict(digests)
    (clone / DIGESTS).write_text(json.dumps(releases, indent=1) + "\n", encoding="utf-8")
    _git(clone, "commit", "--quiet", "--all", "--message", f"Hotloop {version}")
    _git(clone, "tag", "--annotate", f"v{version}", "--message", f"Hotloop {version}")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _only(pattern: re.Pattern[str], path: Path) -> re.Match[str]:
    matches = list(pattern.finditer(path.read_text(encoding="utf-8")))
    if len(matches) != 1:
        raise UserError(f"{path}: expected one `{pattern.pattern}`, found {len(matches)}.")
    return matches[0]


def _replace(pattern: re.Pattern[str], path: Path, new: str) -> None:
    text, match = path.read_text(encoding="utf-8"), _only(pattern, path)
    path.write_text(text[: match.start()] + new + text[match.end() :], encoding="utf-8")


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(clone), *words], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise UserError(f"git {words[0]} failed in {clone}: {done.stderr.strip()}")
    return done.stdout.strip()


def _main() -> None:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--check", action="store_true", help="only say whether it can be made")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            require_releasable(paths.root(), arguments.version)
            return
        digests = {module.id: grader_digest(module.id) for module in curriculum.modules()}
        release(paths.root(), arguments.version, datetime.now(UTC).date(), digests)
    except UserError as error:
        sys.exit(str(error))
    print(f"Tagged v{arguments.version}. Publish it: git push --follow-tags, make wheel")


if __name__ == "__main__":
    _main()
