"""Writes files atomically: whatever happens, a file is complete or unchanged.

Works on every system; the lock for Windows has not been tested there.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if os.name == "nt":
    import errno
    import msvcrt
else:
    import fcntl


def replace(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace `path` atomically: readers, also after a crash, see the old or the new content."""
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
    """Create a file that only its owner can read, atomically. Raises FileExistsError."""
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
    """Sync the folder, so that a rename survives a power failure."""
    if os.name == "nt":  # Windows cannot open folders
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


if os.name == "nt":

    @contextmanager
    def alone(lock: Path) -> Generator[None]:
        """Hold an exclusive lock on the file `lock`, which is created if missing."""
        with lock.open("ab") as stream:
            _wait_for_first_byte(stream.fileno())
            try:
                yield
            finally:
                os.lseek(stream.fileno(), 0, os.SEEK_SET)
                msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

    def _wait_for_first_byte(handle: int) -> None:
        """Lock the first byte; each call waits at most ten seconds, so it is repeated."""
        while True:
            os.lseek(handle, 0, os.SEEK_SET)
            try:
                return msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            except OSError as error:
                if error.errno != errno.EDEADLK:
                    raise

else:

    @contextmanager
    def alone(lock: Path) -> Generator[None]:
        """Hold an exclusive lock on the file `lock`, which is created if missing."""
        with lock.open("ab") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield
