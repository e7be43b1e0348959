"""Temporary folders for a grading. Folders of a killed judge are removed later."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hotloop.sandbox.owner import new_tag, remove_stale, state_folder

_NAME = "scratch"


@contextmanager
def scratch() -> Generator[Path]:
    """Yield a new folder, which is removed with the context."""
    sweep()
    folder = state_folder(_NAME) / new_tag()
    folder.mkdir(mode=0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Remove the folders of processes that have ended."""
    remove_stale(_NAME)
