"""Packages that conflict with Hotloop's own; each set has its own environment.

The environment also contains Hotloop, so that its `hotloop check` grades the tasks that need it.
Every package is pinned, in environments/NAME.txt.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hotloop import __version__
from hotloop.core import paths
from hotloop.core.user_error import UserError

PINS = Path(__file__).with_name("environments")
_TOLD = ("Collecting", "Downloading", "Building", "Installing", "Successfully")
"""Prefixes of pip's output lines that report progress."""


def names() -> list[str]:
    """Return the names of all environments that can be made."""
    return sorted(path.stem for path in PINS.glob("*.txt"))


def default_folder(name: str) -> Path:
    """Return the default folder, in the user's cache. It may not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "hotloop" / "environments" / name


def make(name: str, folder: Path, on_progress: Callable[[str], None]) -> Path:
    """Install the packages and Hotloop into `folder`; return the path of its `hotloop` command.

    Raises UserError if pip fails; a partial environment is removed.
    """
    hotloop = folder / "bin" / "hotloop"
    if hotloop.exists():
        return hotloop
    python = folder / "bin" / "python"
    ours = ["--editable", str(paths.root())] if paths.in_clone() else [f"hotloop=={__version__}"]
    try:
        on_progress(f"making {folder}")
        _run([sys.executable, "-m", "venv", str(folder)], on_progress)
        pip = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        _run([*pip, "--requirement", str(PINS / f"{name}.txt")], on_progress)
        # Hotloop's own requirements would install another PyTorch.
        _run([*pip, "--no-deps", *ours], on_progress)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return hotloop


def _run(command: list[str], on_progress: Callable[[str], None]) -> None:
    """Run a command and pass on its progress. Raises UserError if it fails."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    last: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=inherited,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last = [*last[-4:], line.strip()]
            if line.strip().startswith(_TOLD):
                on_progress(line.strip()[:100])
    if process.returncode:
        raise UserError(f"{' '.join(command[1:4])} failed: {' '.join(last)[-500:]}")
