"""The copy of a submission that the sandbox and the judge get to see."""

from __future__ import annotations

import os
from pathlib import Path

from hotloop.course.notebook_exporter import read_ordinary

MAX_FILES = 500
MAX_FILE = 16 << 20
MAX_TOTAL = 64 << 20
"""Bytes. What is over these limits is left out, and the learner is told."""

_IGNORED_FOLDERS = {".ipynb_checkpoints", "__pycache__", ".git", ".venv"}
_IGNORED_FILES = {"timestamp.txt"}
"""nbgrader's own note on when a submission came."""


def snapshot(folder: Path, target: Path) -> list[str]:
    """Copy the ordinary files below `folder`; returns a note for each that was left out.

    Modes are not copied: everybody may read the copy, whoever the sandbox runs as.
    """
    notes: list[str] = []
    total = count = 0
    target.chmod(0o755)
    for name, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _IGNORED_FOLDERS)
        for file in sorted(set(files) - _IGNORED_FILES):
            relative = (Path(name) / file).relative_to(folder)
            data = read_ordinary(Path(name) / file, MAX_FILE)
            count += 1
            fits = data is not None and len(data) <= MAX_FILE and total + len(data) <= MAX_TOTAL
            if data is None or not fits or count > MAX_FILES:
                notes.append(f"“{relative}” was left out: not an ordinary file, or too long.")
                continue
            total += len(data)
            _write(target / relative, data)
    return notes[:20]


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o644)
