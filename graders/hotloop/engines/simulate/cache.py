"""A cache of built files, keyed by a digest of their inputs, so that no entry goes stale.

The least recently used entries are removed when the cache exceeds MOST_BYTES.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1 << 30
GRACE_S = 3600.0
"""An entry used within the last hour is kept, because a process may be about to run it."""

_UNFINISHED = "making-"


def folder() -> Path:
    """Return `HOTLOOP_SIMULATOR_CACHE` or a folder in the user's cache; create it if missing."""
    configured = os.environ.get("HOTLOOP_SIMULATOR_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(configured) if configured else Path(base) / "hotloop" / "simulator"
    path.mkdir(parents=True, exist_ok=True)
    return path


def digest(parts: Iterable[str | bytes]) -> str:
    """Return a digest of 32 hex digits of a sequence of texts, including their boundaries."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:32]


def get_or_make(name: str, make: Callable[[Path], None]) -> Path:
    """Return the path of the entry `name`; if it is missing, `make` writes it to a temporary path.

    The folder `HOTLOOP_SIMULATOR_PREBUILT` is searched first and never written to. Processes that
    want the same entry at once each make it, and the last one to finish replaces the others' file.
    """
    prebuilt = os.environ.get("HOTLOOP_SIMULATOR_PREBUILT")
    if prebuilt and (Path(prebuilt) / name).exists():
        return Path(prebuilt) / name
    path = folder() / name
    if path.exists():
        with suppress(OSError):  # owned by another user, or deleted
            os.utime(path)
        return path
    with tempfile.TemporaryDirectory(dir=folder(), prefix=_UNFINISHED) as temporary:
        new = Path(temporary) / path.name
        make(new)
        try:
            new.replace(path)
        except OSError:
            if not path.is_dir():  # another process made the folder in the meantime
                raise
    tidy()
    return path


def tidy() -> None:
    """Remove the least recently used entries until the rest fits into MOST_BYTES."""
    entries = sorted(_entries(), key=lambda entry: entry[0])
    total = sum(size for _, size, _ in entries)
    for last_used, size, path in entries:
        if total <= MOST_BYTES or last_used > time.time() - GRACE_S:
            return
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        total -= size


def _entries() -> Iterator[tuple[float, int, Path]]:
    """Yield time of last use, size in bytes and path of each entry."""
    for path in folder().iterdir():
        if path.name.startswith(_UNFINISHED):
            continue
        with suppress(OSError):  # another process may be removing entries too
            files = [path, *path.rglob("*")] if path.is_dir() else [path]
            yield path.stat().st_mtime, sum(file.stat().st_size for file in files), path
