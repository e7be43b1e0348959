"""Who may use the machine's cores and its GPU: many at once, or one alone while speed is measured.

Readers and one writer, over file locks, so that every grading process of a user on this machine
takes part and a killed one lets go. Whoever wants the machine alone closes a turnstile first:
nobody enters behind it, so it is not kept waiting by those who come later.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

LONGEST_WAIT_S = 3600.0
"""What a kernel is given beyond its own time, because its turn may be late."""


class NotOurFolder(Exception):
    """Somebody else has made the folder of the locks."""


class Lease:
    """The machine's, for gradings of one user. folder: of the locks; a default one if not given."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.gettempdir()) / f"hotloop-lease-{os.getuid()}"

    @contextmanager
    def shared(self, on_wait: Callable[[], None] = lambda: None) -> Generator[None]:
        """Beside others, while nobody measures. on_wait: called when it has to wait."""
        with self._held("room", fcntl.LOCK_SH, on_wait):
            yield

    @contextmanager
    def exclusive(self, on_wait: Callable[[], None] = lambda: None) -> Generator[None]:
        """Alone."""
        with self._held("room", fcntl.LOCK_EX, on_wait):
            yield

    def turn(self, on_wait: Callable[[], None] = lambda: None) -> Turn:
        """One that begins beside others and may go on alone."""
        return Turn(self, on_wait)

    @contextmanager
    def _held(self, name: str, kind: int, on_wait: Callable[[], None]) -> Generator[None]:
        turnstile, room = self._open("turnstile"), self._open(name)
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
    """A use of the machine: beside others, until `alone` is called."""

    def __init__(self, lease: Lease, on_wait: Callable[[], None]) -> None:
        self._lease = lease
        self._on_wait = on_wait
        self._held = ExitStack()

    def alone(self) -> None:
        """Let others go on, then wait for all of them to be done. What is shared is let go first:
        two who both kept it would wait for each other."""
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
