"""The store of a course, with what earlier versions kept in files taken over into it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hotloop.course.attempts.database import database
from hotloop.course.attempts.record_files import FOLDER, take_over
from hotloop.course.attempts.store import Store


def store(root: Path) -> Store:
    """The store in the gradebook of the course at `root`."""
    root = root.resolve()
    return _store(root, database(root), (root / FOLDER).is_dir())


@lru_cache(maxsize=64)
def _store(root: Path, url: str, has_files: bool) -> Store:
    opened = Store(url)
    if has_files:
        take_over(root, opened)
    return opened
