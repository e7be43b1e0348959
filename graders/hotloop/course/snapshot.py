"""The files of a submission as the sandbox and the judge get to see them, read without trust."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from hotloop.course.notebook_exporter import read_ordinary

MAX_FILES = 500
MAX_FILE = 16 << 20
MAX_TOTAL = 64 << 20
"""Bytes. What is over these limits is left out, and the learner is told."""
MAX_NOTES = 20

_IGNORED_FOLDERS = {".ipynb_checkpoints", "__pycache__", ".git", ".venv"}
_IGNORED_FILES = {"timestamp.txt"}
"""nbgrader's own note on when a submission came."""


def ordinary_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The ordinary files below `folder` by path, and a note for each that was left out."""
    kept: dict[str, bytes] = {}
    notes: list[str] = []
    total = 0
    for count, path in enumerate(_paths(folder), start=1):
        name = path.relative_to(folder).as_posix()
        data = read_ordinary(path, MAX_FILE)
        fits = data is not None and len(data) <= MAX_FILE and total + len(data) <= MAX_TOTAL
        if data is None or not fits or count > MAX_FILES:
            notes.append(f"“{name}” was left out: not an ordinary file, or too long.")
            continue
        total += len(data)
        kept[name] = data
    return kept, notes[:MAX_NOTES]


def write_all(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files below `folder`. Everybody may read them, whoever the sandbox runs as."""
    folder.chmod(0o755)
    for name, content in files.items():
        path = folder / name
        for parent in reversed(path.relative_to(folder).parents[:-1]):
            (folder / parent).mkdir(exist_ok=True)
            (folder / parent).chmod(0o755)
        path.write_bytes(content)
        path.chmod(0o644)


def _paths(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _IGNORED_FOLDERS)
        yield from (Path(name) / file for file in sorted(set(files) - _IGNORED_FILES))
