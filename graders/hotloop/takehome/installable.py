"""Tries what the first command in a pack does: pip finds the Hotloop that the pack was made with.

A candidate's time begins with the download. A pack whose first command fails must not be made.
"""

import json
import re
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from hotloop import __version__
from hotloop.takehome.instructions import requirement
from hotloop.takehome.role import Role
from hotloop.takehome.team import Team, TeamError

TIMEOUT_S = 300
_EXTRAS = re.compile(r"\[([^\]]*)\]")


def require(team: Team, role: Role) -> None:
    """TeamError where pip in a fresh environment finds no such Hotloop, another version, or one
    without the extras that the role's tasks need. Nothing is installed, and what Hotloop itself
    needs is not looked for.
    """
    wheel = team.folder / role.wheel if role.wheel else None
    if wheel is not None and not wheel.is_file():
        raise TeamError(f"There is no wheel {wheel}: copy it there, or take `wheel` out.")
    stamp = wheel.stat().st_mtime_ns if wheel is not None else 0
    where = f"{role.role}/takehome.yaml"
    try:
        version, extras = _tried(requirement(role), str(team.folder), stamp)
    except _NotFound as error:
        raise TeamError(
            f"`make lab` in a pack of {role.role} would fail, so none was made. pip does not find "
            f"`{requirement(role)}`: {error} Set `wheel` in {where} to a wheel in the team's "
            "folder (`make wheel` in a clone builds one), or `install` to what pip finds."
        ) from None
    if version != __version__:
        raise TeamError(
            f"`{requirement(role)}` is version {version}, and packs are made with {__version__}: "
            f"change `wheel` or `install` in {where}."
        )
    asked = {name for part in _EXTRAS.findall(requirement(role)) for name in part.split(",")}
    if missing := sorted({_plain(name) for name in asked if name} - extras):
        raise TeamError(f"`{requirement(role)}` has no extra {', '.join(missing)}: see {where}.")


class _NotFound(Exception):
    """Why. Not remembered: the next try may find it."""


@lru_cache(maxsize=64)
def _tried(wanted: str, folder: str, _stamp: int) -> tuple[str, frozenset[str]]:
    with tempfile.TemporaryDirectory() as scratch:
        python = Path(scratch) / "venv" / "bin" / "python"
        for command in (
            [sys.executable, "-m", "venv", str(python.parents[1])],
            [str(python), *_PIP, wanted],
        ):
            try:
                done = subprocess.run(
                    command,
                    check=False,
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=TIMEOUT_S,
                )
            except subprocess.TimeoutExpired:
                raise _NotFound(f"it took longer than {TIMEOUT_S} s.") from None
            if done.returncode:
                raise _NotFound(_last_error(done.stderr or done.stdout))
    document = cast("dict[str, Any]", json.loads(done.stdout))
    metadata = document["install"][0]["metadata"]
    return metadata["version"], frozenset(map(_plain, metadata.get("provides_extra", [])))


_PIP = [
    *("-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"),
    *("--disable-pip-version-check", "--report", "-"),
]


def _last_error(text: str) -> str:
    """The last line that says ERROR, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["it failed"]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    said = (errors or lines)[-1]
    return said if said.endswith(".") else f"{said}."


def _plain(name: str) -> str:
    """As packaging compares names."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()
