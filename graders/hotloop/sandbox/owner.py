"""Names for what a sandbox leaves on the machine, so that a later run can tell whose is whose.

A tag names the process that made a thing: its pid namespace, id and start time. What belongs to a
process that is gone may be removed by anybody who may remove it.
"""

import itertools
import os
import re
import tempfile
from functools import cache
from pathlib import Path

from hotloop.sandbox import processes

_TAG = re.compile(r"hotloop-(\d+)-(\d+)-(\d+)-\d+")
_numbers = itertools.count(1)
_RUN = Path("/run/hotloop")


def new_tag() -> str:
    """A name that no other sandbox on this machine has."""
    pid = os.getpid()
    return f"hotloop-{_pid_namespace()}-{pid}-{processes.started(pid)}-{next(_numbers)}"


def is_stale(name: str) -> bool:
    """True for a tag whose maker is gone; False for all that is not ours to judge."""
    match = _TAG.fullmatch(name)
    if match is None or int(match[1]) != _pid_namespace():
        return False
    return processes.started(int(match[2])) != int(match[3])


@cache
def state_folder() -> Path:
    """A folder of this user's own, closed to others. RuntimeError when it is somebody else's."""
    uid = os.geteuid()
    folder = _RUN if uid == 0 else Path(tempfile.gettempdir()) / f"hotloop-{uid}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"hotloop-{uid}"
        folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != uid or not folder.is_dir() or folder.is_symlink():
        raise RuntimeError(f"{folder} is not a folder of this user: remove it and try again")
    folder.chmod(0o700)
    return folder


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino
