"""Temporary folders for a grading. Folders of a killed judge are removed later."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hotloop.sandbox.owner import is_stale, new_tag, state_folder


@contextmanager
def scratch() -> Generator[Path]:
    """Yield a new folder, which is removed with the context."""
    sweep()
    folder = _root() / new_tag()
    folder.mkdir(mode=0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Remove the folders of processes that have ended."""
    for folder in _root().iterdir():
        if is_stale(folder.name):
            shutil.rmtree(folder, ignore_errors=True)


def _root() -> Path:
    root = state_folder() / "scratch"
    root.mkdir(mode=0o700, exist_ok=True)
    return root
