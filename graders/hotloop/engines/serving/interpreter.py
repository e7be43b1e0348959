"""Finds the Python that the server's environment is made from."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hotloop.engines.serving.unavailable import ServingUnavailable

SUPPORTED = ("3.11", "3.12")
"""The server's wheel has a stub for each of these, and numpy 1.26 has wheels for them."""
VARIABLE = "HOTLOOP_SERVING_PYTHON"

_ASK = (
    "import platform, sys, sysconfig; "
    "print(sys.executable, sys.base_prefix, platform.python_version(),"
    " sysconfig.get_config_var('LIBDIR'), sep='\\n')"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter. home: its prefix.

    library_folder: where its shared library is, if it has one.
    """

    executable: Path
    home: Path
    version: str
    library_folder: Path


@cache
def interpreter() -> Interpreter:
    """Return the interpreter in `HOTLOOP_SERVING_PYTHON`, else Hotloop's own, else one on PATH.

    Raises ServingUnavailable if none has a version that the server has a stub for.
    """
    named = os.environ.get(VARIABLE)
    if named:
        chosen = _ask(named)
        if chosen is None or chosen.version.rpartition(".")[0] not in SUPPORTED:
            reason = f"{VARIABLE} names {named}, which is no Python {' or '.join(SUPPORTED)}"
            raise ServingUnavailable(reason, f"unset {VARIABLE}")
        return chosen
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if own in SUPPORTED:
        return _own()
    for minor in SUPPORTED:
        path = shutil.which(f"python{minor}")
        other = _ask(path) if path else None
        if other is not None:
            return other
    reason = f"the server's environment needs Python {' or '.join(SUPPORTED)}, and this is {own}"
    raise ServingUnavailable(reason, f"install Python 3.12 and set {VARIABLE} to it")


def _own() -> Interpreter:
    """Return the base interpreter of this virtual environment."""
    executable = Path(getattr(sys, "_base_executable", sys.executable))
    return Interpreter(
        executable=executable,
        home=Path(sys.base_prefix),
        version=".".join(map(str, sys.version_info[:3])),
        library_folder=Path(sysconfig.get_config_var("LIBDIR") or sys.base_prefix),
    )


def _ask(executable: str) -> Interpreter | None:
    try:
        done = subprocess.run(
            [executable, "-I", "-c", _ASK], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 4:
        return None
    return Interpreter(Path(lines[0]), Path(lines[1]), lines[2], Path(lines[3]))
