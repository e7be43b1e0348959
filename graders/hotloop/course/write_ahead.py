"""While a batch is booked, a gradebook that is a SQLite file keeps a write-ahead log.

nbgrader commits some twenty times a submission, and with SQLite's own journal each commit waits for
the disk several times: longer than the whole grading takes. With the log none waits. A process that
is killed loses nothing by it; a machine that loses its power may lose the last bookings as a whole,
which are then pending and are booked again. Formgrader's connections, in processes of their own,
wait for the disk as ever, so what a person grades is kept.

At the end the file is whole by itself again, so that whoever copies gradebook.db copies all of it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.engine import make_url

_MOUNTS = Path("/proc/self/mounts")
LOCAL = {"btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"}
"""File systems of one machine. The log's index is memory that is shared by all who have the file
open, so that it must not lie on a network's.
"""


@contextmanager
def write_ahead(url: str) -> Generator[None]:
    """Within it, this process writes into the database at `url` without waiting for the disk.

    Nothing changes for another database, on a network's file system, or where another program has
    the file at that moment.
    """
    file = _file(url)
    if file is None or not _is_local(file) or not _set_journal(file, "wal"):
        yield
        return
    event.listen(Engine, "connect", _wait_not)
    try:
        # Whoever closes the file last copies the log into it: that shall not be each of nbgrader's
        # connections.
        with _open(file):
            yield
    finally:
        event.remove(Engine, "connect", _wait_not)
        _set_journal(file, "delete")


def _file(url: str) -> Path | None:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def _is_local(file: Path) -> bool:
    """True when the mount with the longest name that is above the file is of this machine."""
    with suppress(OSError):
        place = os.path.realpath(file)
        lines = [line.split() for line in _MOUNTS.read_text(encoding="utf-8").splitlines()]
        above = [(len(m), kind) for _, m, kind, *_ in lines if _is_below(place, m)]
        return bool(above) and max(above)[1] in LOCAL
    return False


def _is_below(place: str, mount: str) -> bool:
    return os.path.commonpath([place, mount]) == mount


def _set_journal(file: Path, mode: str) -> bool:
    """True when the file is in that mode now. A second program that has it open keeps it so."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=1)) as connection:
        (now,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
        return bool(now == mode)
    return False


@contextmanager
def _open(file: Path) -> Generator[None]:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


def _wait_not(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = NORMAL")
