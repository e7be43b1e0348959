"""Access to the machine's cores and GPU: shared, or exclusive while speed is measured.

A readers-writer lock over file locks, so that it covers every grading process of a user on this
machine, and a killed process releases it. A process that wants exclusive access locks a turnstile:
new readers wait behind it, so that they cannot delay it further.

A grading that comes to a measurement locks the turnstile only after PATIENCE_S. Until then others
go on working, since cores would be idle while the last of them ends. Those that have come to theirs
meanwhile measure in a row.
"""

from __future__ import annotations

import fcntl
import logging
import os
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

LONGEST_WAIT_S = 3600.0
"""Seconds added to a kernel's time limit, since it may wait long for its turn."""


PATIENCE_S = 30.0
"""Seconds for which a measurement lets others begin further work before it."""

_POLL_S = 0.05

log = logging.getLogger(__name__)


def _say() -> None:
    """Log that this process waits, so that no command waits in silence."""
    log.warning("Waiting for the machine, which another grading is using.")


class NotOurFolder(Exception):
    """The folder of the locks belongs to another user."""


class Lease:
    """The machine's lease for gradings of one user.

    folder: folder of the lock files; by default one in the system's temporary folder. patience_s:
        of a turn that comes to a measurement.
    """

    def __init__(self, folder: Path | None = None, patience_s: float = PATIENCE_S) -> None:
        self.patience_s = patience_s
        self.folder = folder or Path(tempfile.gettempdir()) / f"hotloop-lease-{os.getuid()}"

    def shared(self, on_wait: Callable[[], None] = _say) -> AbstractContextManager[None]:
        """Hold shared access; wait while another process measures.

        on_wait: called before waiting; by default it is logged.
        """
        return self._held(fcntl.LOCK_SH, on_wait)

    def exclusive(
        self, on_wait: Callable[[], None] = _say, *, patience_s: float = 0.0
    ) -> AbstractContextManager[None]:
        """Hold exclusive access. on_wait: as in `shared`.

        patience_s: how long shared access may still begin before it, unless somebody measures.
        """
        return self._held(fcntl.LOCK_EX, on_wait, patience_s)

    def turn(self, on_wait: Callable[[], None] = _say) -> Turn:
        """Return a turn, which starts shared and may become exclusive."""
        return Turn(self, on_wait)

    @contextmanager
    def _held(
        self, kind: int, on_wait: Callable[[], None], patience_s: float = 0.0
    ) -> Generator[None]:
        turnstile, room = self._open("turnstile"), self._open("room")
        try:
            if not (patience_s and _left_to_us(room, on_wait, patience_s)):
                _lock(turnstile, fcntl.LOCK_EX, on_wait)
                _lock(room, kind, on_wait)
            os.close(turnstile)
            turnstile = -1
            yield
        finally:
            for fd in (turnstile, room):
                if fd >= 0:
                    os.close(fd)

    def _open(self, name: str) -> int:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.folder.lstat().st_uid != os.getuid():
            raise NotOurFolder(f"{self.folder} belongs to somebody else: remove it")
        return os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


class Turn:
    """Use of the machine: shared until `alone` is called."""

    def __init__(self, lease: Lease, on_wait: Callable[[], None]) -> None:
        self._lease = lease
        self._on_wait = on_wait
        self._held = ExitStack()

    def alone(self) -> None:
        """Release shared access, then wait for exclusive access.

        Two processes that both kept shared access would wait for each other forever.
        """
        self._held.close()
        lease = self._lease
        self._held.enter_context(lease.exclusive(self._on_wait, patience_s=lease.patience_s))

    def __enter__(self) -> Turn:
        self._held.enter_context(self._lease.shared(self._on_wait))
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()


def _left_to_us(room: int, on_wait: Callable[[], None], patience_s: float) -> bool:
    """Lock the room once all have left it; False after `patience_s`, or if somebody measures."""
    if _locked(room, fcntl.LOCK_EX):
        return True
    on_wait()
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if not _locked(room, fcntl.LOCK_SH):
            return False
        fcntl.flock(room, fcntl.LOCK_UN)
        time.sleep(_POLL_S)
        if _locked(room, fcntl.LOCK_EX):
            return True
    return False


def _lock(fd: int, kind: int, on_wait: Callable[[], None]) -> None:
    if not _locked(fd, kind):
        on_wait()
        fcntl.flock(fd, kind)


def _locked(fd: int, kind: int) -> bool:
    """Lock the file if that needs no waiting; return whether it did."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
