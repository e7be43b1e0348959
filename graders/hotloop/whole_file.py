"""Files that are there whole or not at all, whatever happens while they are written.

For every system. The lock of Windows was not tried on one.
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


if os.name == "nt":

    @contextmanager
    def alone(lock: Path) -> Generator[None]:
        """Until it ends, no other process holds `lock`, a file that is made where it is missing."""
        with lock.open("ab") as stream:
            _wait_for_first_byte(stream.fileno())
            try:
                yield
            finally:
                os.lseek(stream.fileno(), 0, os.SEEK_SET)
                msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

    def _wait_for_first_byte(handle: int) -> None:
        """Each call waits for ten seconds at most."""
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
        """Until it ends, no other process holds `lock`, a file that is made where it is missing."""
        with lock.open("ab") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield
