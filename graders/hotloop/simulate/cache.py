"""Where built files are kept: by content, so that nothing is built twice and nothing goes stale.

What has not been used for longest goes when there is too much.
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
"""What was used within the last hour stays: somebody may be about to run it."""

_UNFINISHED = "making-"


def folder() -> Path:
    """`HOTLOOP_SIMULATOR_CACHE`, or a folder in the user's cache; made when it is missing."""
    given = os.environ.get("HOTLOOP_SIMULATOR_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(given) if given else Path(base) / "hotloop" / "simulator"
    path.mkdir(parents=True, exist_ok=True)
    return path


def digest(parts: Iterable[str | bytes]) -> str:
    """Of a sequence of texts; the boundaries between them count."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:32]


def made(name: str, make: Callable[[Path], None]) -> Path:
    """The file called `name`, made by `make` (which gets a temporary path) if it is not there.

    `HOTLOOP_SIMULATOR_PREBUILT` names a folder that is looked into first and never written. Several
    processes may want a file at once: each makes its own, and the last one's stays.
    """
    prebuilt = os.environ.get("HOTLOOP_SIMULATOR_PREBUILT")
    if prebuilt and (Path(prebuilt) / name).exists():
        return Path(prebuilt) / name
    path = folder() / name
    if path.exists():
        used(path)
        return path
    with tempfile.TemporaryDirectory(dir=folder(), prefix=_UNFINISHED) as temporary:
        new = Path(temporary) / path.name
        make(new)
        try:
            new.replace(path)
        except OSError:
            if not path.is_dir():  # a folder that another process has made meanwhile is as good
                raise
    tidy()
    return path


def used(path: Path) -> None:
    """Note that it was used now; a folder counts as one."""
    with suppress(OSError):  # another user's, or gone
        os.utime(path)


def tidy() -> None:
    """Remove what was not used for longest, until the rest fits into MOST_BYTES."""
    entries = sorted(_entries(), key=lambda entry: entry[0])
    total = sum(size for _, size, _ in entries)
    for last_used, size, path in entries:
        if total <= MOST_BYTES or last_used > time.time() - GRACE_S:
            return
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        total -= size


def _entries() -> Iterator[tuple[float, int, Path]]:
    """When each was last used, its bytes, and where it is."""
    for path in folder().iterdir():
        if path.name.startswith(_UNFINISHED):
            continue
        with suppress(OSError):  # another process may tidy as well
            files = [path, *path.rglob("*")] if path.is_dir() else [path]
            yield path.stat().st_mtime, sum(file.stat().st_size for file in files), path
