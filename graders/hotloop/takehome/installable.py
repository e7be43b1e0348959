"""Checks that the first command in a pack will work: the pack's Hotloop version can be installed.

A candidate's time starts with the download, so no pack is made whose first command fails.
"""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from email import message_from_bytes
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from hotloop import __version__
from hotloop.takehome.instructions import requirement
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.team import Team, TeamError

TIMEOUT_S = 300
_EXTRAS = re.compile(r"\[([^\]]*)\]")
_METADATA = re.compile(r"hotloop-[^/]+\.dist-info/METADATA")


def require(team: Team, role: TakehomeRole) -> None:
    """Raise TeamError if the Hotloop that the role installs is missing or does not match.

    It must have this version and the extras that the role's tasks need. The role's wheel is
    inspected; without one, pip reports in a new environment what it would install. Hotloop's
    dependencies are not checked.
    """
    wanted = requirement(role)
    where = f"{role.role}/takehome.yaml"
    try:
        version, extras = _of_wheel(team.folder / role.wheel) if role.wheel else _by_pip(wanted)
    except _NotFound as error:
        raise TeamError(
            f"`make lab` in a pack of {role.role} would fail, so none was made: {error} Set "
            f"`wheel` in {where} to a wheel in the team's folder (`make wheel` in a clone builds "
            "one, `hotloop takehome init --wheel` copies it), or `install` to what pip finds."
        ) from None
    if version != __version__:
        raise TeamError(
            f"`{wanted}` is version {version}, and packs are made with {__version__}: "
            f"change `wheel` or `install` in {where}."
        )
    needed = {name for part in _EXTRAS.findall(wanted) for name in part.split(",") if name}
    if missing := sorted(set(map(_plain, needed)) - extras):
        raise TeamError(f"`{wanted}` has no extra {', '.join(missing)}: see {where}.")


class _NotFound(Exception):
    """Why, in sentences. Not cached: the next attempt may succeed."""


def _of_wheel(path: Path) -> tuple[str, frozenset[str]]:
    """Return the version and the extras of a wheel of Hotloop."""
    try:
        with zipfile.ZipFile(path) as archive:
            if damaged := archive.testzip():
                raise _NotFound(f"{path} is damaged at {damaged}.")
            (name,) = filter(_METADATA.fullmatch, archive.namelist())
            metadata = message_from_bytes(archive.read(name))
    except FileNotFoundError:
        raise _NotFound(f"there is no wheel {path}.") from None
    except (OSError, ValueError, zipfile.BadZipFile):
        raise _NotFound(f"{path} is no wheel of Hotloop.") from None
    extras = metadata.get_all("Provides-Extra", [])
    return (str(metadata["Version"]), frozenset(map(_plain, extras)))


@lru_cache(maxsize=64)
def _by_pip(wanted: str) -> tuple[str, frozenset[str]]:
    """Return the version and the extras that pip finds."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        _run([sys.executable, "-m", "venv", folder])
        report = _run([str(python), *_PIP, wanted])
    metadata = cast("dict[str, Any]", json.loads(report))["install"][0]["metadata"]
    return (metadata["version"], frozenset(map(_plain, metadata.get("provides_extra", []))))


_PIP = [
    *("-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"),
    *("--disable-pip-version-check", "--report", "-"),
]


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise _NotFound(f"pip took longer than {TIMEOUT_S} s.") from None
    if done.returncode == 0:
        return done.stdout
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    last = (errors or lines or ["it gave no reason"])[-1].rstrip(".")
    raise _NotFound(f"pip says “{last}”.")


def _plain(name: str) -> str:
    """Normalize a package or extra name as `packaging` does."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()
