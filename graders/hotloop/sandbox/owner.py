"""Names for what a sandbox leaves on the machine, so that a later run can clean up safely.

A tag names the process that created an object: pid namespace, pid and start time. If that process
is gone, any process with the rights to do so can remove the object.
"""

import itertools
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from hotloop.sandbox import processes

_TAG = re.compile(r"hotloop-(\d+)-(\d+)-(\d+)-\d+")
_numbers = itertools.count(1)
_RUN = Path("/run/hotloop")


def new_tag() -> str:
    """Return a name that no other sandbox on this machine has."""
    pid = os.getpid()
    return f"hotloop-{_pid_namespace()}-{pid}-{processes.started(pid)}-{next(_numbers)}"


def is_stale(name: str) -> bool:
    """Return True for a tag whose creator has ended; False for any other name.

    Tags of another pid namespace are never stale.
    """
    match = _TAG.fullmatch(name)
    if match is None or int(match[1]) != _pid_namespace():
        return False
    return processes.started(int(match[2])) != int(match[3])


def state_folder(name: str) -> Path:
    """Return the folder `name` in this user's private folder (both mode 0700), creating them.

    Raises RuntimeError if the private folder exists and belongs to another user.
    """
    folder = _private_folder() / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def remove_stale(name: str) -> None:
    """Remove from the state folder `name` the folders of processes that have ended."""
    for folder in state_folder(name).iterdir():
        if is_stale(folder.name):
            shutil.rmtree(folder, ignore_errors=True)


@cache
def _private_folder() -> Path:
    uid = os.geteuid()
    folder = _RUN if uid == 0 else Path(tempfile.gettempdir()) / f"hotloop-{uid}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"hotloop-{uid}"
        folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != uid or not folder.is_dir() or folder.is_symlink():
        raise RuntimeError(f"{folder} is not a folder of this user: remove it and try again")
    folder.chmod(0o700)
    return folder


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino
