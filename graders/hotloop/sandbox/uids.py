"""A spare user id for each sandbox that root starts.

Process limits count per user, and root is exempt from them. A file lock prevents two sandboxes from
sharing an id; the kernel releases it when its holder ends for any reason.
"""

import fcntl
import os
from pathlib import Path

from hotloop.sandbox.owner import state_folder

FIRST, LAST = 64000, 64999
"""Above the ids that Debian assigns to people and services, below its 65534 (nobody)."""


class UidLease:
    """One user id, reserved until `release`."""

    def __init__(self, uid: int, fd: int) -> None:
        self.uid = uid
        self._fd = fd

    def release(self) -> None:
        """Release the id. May be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def lease_uid() -> UidLease:
    """Reserve the first free id. Raises RuntimeError if all are taken."""
    folder = state_folder("uids")
    for uid in range(FIRST, LAST + 1):
        fd = _try_lock(folder / str(uid))
        if fd >= 0:
            return UidLease(uid, fd)
    raise RuntimeError(f"all user ids from {FIRST} to {LAST} are in use by other sandboxes")


def _try_lock(path: Path) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return -1
    return fd
