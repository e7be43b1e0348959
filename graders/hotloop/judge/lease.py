"""Access to the machine's cores and GPU: shared, or exclusive while speed is measured.

A readers-writer lock over file locks, so that it covers every grading process of a user on this
machine, and a killed process releases it. A process that wants exclusive access first locks a
turnstile: new readers wait behind it, so that they cannot delay it further.
"""

from __future__ import annotations

import fcntl
import logging
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

LONGEST_WAIT_S = 3600.0
"""Seconds added to a kernel's time limit, since it may wait long for its turn."""


log = logging.getLogger(__name__)


def _say() -> None:
    """Log that this process waits, so that no command waits in silence."""
    log.warning("Waiting for the machine, which another grading is using.")


class NotOurFolder(Exception):
    """The folder of the locks belongs to another user."""


class Lease:
    """The machine's lease for gradings of one user.

    folder: folder of the lock files; by default one in the system's temporary folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.gettempdir()) / f"hotloop-lease-{os.getuid()}"

    def shared(self, on_wait: Callable[[], None] = _say) -> AbstractContextManager[None]:
        """Hold shared access; wait while another process measures.

        on_wait: called before waiting; by default it is logged.
        """
        return self._held(fcntl.LOCK_SH, on_wait)

    def exclusive(self, on_wait: Callable[[], None] = _say) -> AbstractContextManager[None]:
        """Hold exclusive access. on_wait: as in `shared`."""
        return self._held(fcntl.LOCK_EX, on_wait)

    def turn(self, on_wait: Callable[[], None] = _say) -> Turn:
        """Return a turn, which starts shared and may become exclusive."""
        return Turn(self, on_wait)

    @contextmanager
    def _held(self, kind: int, on_wait: Callable[[], None]) -> Generator[None]:
        turnstile, room = self._open("turnstile"), self._open("room")
        try:
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
        self._held.enter_context(self._lease.exclusive(self._on_wait))

    def __enter__(self) -> Turn:
        self._held.enter_context(self._lease.shared(self._on_wait))
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()


def _lock(fd: int, kind: int, on_wait: Callable[[], None]) -> None:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        on_wait()
        fcntl.flock(fd, kind)
