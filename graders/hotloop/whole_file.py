"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write `path` at once: a reader, or whoever comes after a crash, sees the old or the new."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            new.chmod(mode)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _settle(path.parent)


def create_private(path: Path, content: bytes) -> None:
    """A new file that its owner alone may read: whole, or not there. FileExistsError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        path.hardlink_to(new)
    finally:
        new.unlink(missing_ok=True)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """What was renamed keeps its name when the power fails."""
    if os.name == "nt":  # it opens no folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
