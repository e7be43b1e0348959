"""A submission as plain data, which can be created, compared and written anywhere."""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Expectation = Literal["same", "unreadable", "any"]
"""What the grader must do with a submission.

same: the answers are intact, so they must earn what the untouched notebook earns. unreadable: there
is no notebook to run, and nothing may be earned. any: there must be some verdict.
"""


@dataclass(frozen=True)
class Handed:
    """A submission's folder.

    files: by name, which may be bytes that are not UTF-8 (in the form of `os.fsdecode`). links:
    name to target. sparse: name to length in bytes, all zeros.
    """

    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    folders: tuple[str, ...] = ()
    pipes: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    sparse: Mapping[str, int] = field(default_factory=dict[str, int])

    def write(self, folder: Path) -> None:
        """Write it to `folder`, which must not exist yet."""
        folder.mkdir(parents=True)
        for name in self.folders:
            (folder / name).mkdir(parents=True)
        for name, data in self.files.items():
            _within(folder, name).write_bytes(data)
        for name, length in self.sparse.items():
            with _within(folder, name).open("wb") as stream:
                stream.truncate(length)
        for name, target in self.links.items():
            _within(folder, name).symlink_to(target)
        for name in self.pipes:
            os.mkfifo(_within(folder, name))
        for name in self.sockets:
            _socket(_within(folder, name))


@dataclass(frozen=True)
class Malformed:
    """One malformed submission. mutation: what was changed, `level.name`, several joined by `+`."""

    mutation: str
    expect: Expectation
    handed: Handed


def _within(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _socket(path: Path) -> None:
    """Create a socket's file, which stays after the socket is closed.

    It is bound by a short name, as the path of a socket has a length limit.
    """
    here = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)
