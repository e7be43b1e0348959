"""Where built files are kept: by content, so that nothing is built twice and nothing goes stale."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path


def folder() -> Path:
    """`HOTLOOP_CUDASIM_CACHE`, or a folder in the user's cache; made when it is missing."""
    given = os.environ.get("HOTLOOP_CUDASIM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(given) if given else Path(base) / "hotloop" / "cudasim"
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

    `HOTLOOP_CUDASIM_PREBUILT` names a folder that is looked into first and never written. Several
    processes may want a file at once: each makes its own, and the last one's stays.
    """
    prebuilt = os.environ.get("HOTLOOP_CUDASIM_PREBUILT")
    if prebuilt and (Path(prebuilt) / name).exists():
        return Path(prebuilt) / name
    path = folder() / name
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=folder(), prefix="making-") as temporary:
        new = Path(temporary) / path.name
        make(new)
        new.replace(path)
    return path
