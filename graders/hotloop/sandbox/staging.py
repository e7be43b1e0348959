"""Copies a submission, keeping only regular files and folders.

A submission can contain links to any file of the machine, device nodes and pipes. The copy follows
no link, and its size is limited.
"""

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from hotloop.sandbox.confinement import SubmissionRefused
from hotloop.sandbox.owner import new_tag, state_folder

STAGED = "staged"
"""Name of the state folder with the copies."""

MAX_BYTES = 64 << 20
MAX_FILES = 2000
MAX_DEPTH = 16
_CHUNK = 1 << 20


@dataclass
class _Left:
    files: int
    bytes: int


def stage(files: Path, max_bytes: int) -> Path:
    """Copy `files` into a new folder and return the folder.

    Raises SubmissionRefused if the files exceed `max_bytes`, MAX_FILES or MAX_DEPTH.
    """
    target = state_folder(STAGED) / new_tag()
    target.mkdir(mode=0o755)
    source = os.open(files, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _copy_folder(source, target, _Left(MAX_FILES, max_bytes), MAX_DEPTH)
    except BaseException:
        unstage(target)
        raise
    finally:
        os.close(source)
    return target


def unstage(folder: Path) -> None:
    """Remove a staged copy."""
    shutil.rmtree(folder, ignore_errors=True)


def _copy_folder(source: int, target: Path, left: _Left, depth: int) -> None:
    with os.scandir(source) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        left.files -= 1
        if left.files < 0:
            raise SubmissionRefused(f"more than {MAX_FILES} files: hand in only what is asked for")
        kind = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind):
            _enter(source, name, target / name, left, depth - 1)
        elif stat.S_ISREG(kind):
            _copy_file(source, name, target / name, left)


def _enter(source: int, name: str, target: Path, left: _Left, depth: int) -> None:
    if depth == 0:
        raise SubmissionRefused(f"folders nested deeper than {MAX_DEPTH}: hand in a flat folder")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    inner = os.open(name, flags, dir_fd=source)
    try:
        target.mkdir(mode=0o755)
        _copy_folder(inner, target, left, depth)
    finally:
        os.close(inner)


def _copy_file(source: int, name: str, target: Path, left: _Left) -> None:
    # Without O_NONBLOCK, opening would block if the file was replaced by a pipe.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(name, flags, dir_fd=source)
    with os.fdopen(fd, "rb") as stream, target.open("xb") as copy:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            return
        while chunk := stream.read(min(_CHUNK, left.bytes + 1)):
            left.bytes -= len(chunk)
            if left.bytes < 0:
                raise SubmissionRefused(
                    "the files are larger than allowed together: hand in no data or outputs"
                )
            copy.write(chunk)
        os.fchmod(copy.fileno(), 0o755 if mode & 0o100 else 0o644)
