"""Selects the files of a pack's folder that are the candidate's work."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hotloop.learn.pack import limits

NOT_WORK = frozenset(
    {
        "INSTRUCTIONS.md",
        "instructions.html",
        "Makefile",
        "Containerfile",
        "manifest.json",
        "variant.json",
        "work_log.jsonl",
        "work_log_seen.json",
    }
)
"""Files of the pack and logs that are not work."""

_PASSED_OVER = frozenset({"__pycache__", "node_modules", "venv", "build", "dist"})
_SUFFIXES = (".zip", ".whl", ".pyc", ".so", ".o")


def read(folder: Path) -> dict[str, bytes]:
    """Return the files that can be handed in, sorted by name, with / between folders.

    Skipped are hidden files, links, files over the size limit and build products. Notebooks may be
    larger, since their outputs are not handed in.
    """
    files: dict[str, bytes] = {}
    for path, name in _ordinary(folder, ""):
        if name in NOT_WORK or limits.name_fault(name):
            continue
        most = _most(name)
        with path.open("rb") as stream:
            data = stream.read(most + 1)
        if len(data) <= most:
            files[name] = data
    return dict(sorted(files.items()))


def left_out(folder: Path) -> dict[str, str]:
    """Return files that will not be in the submission, with the reasons."""
    reasons: dict[str, str] = {}
    for path, name in _ordinary(folder, ""):
        if name in NOT_WORK:
            continue
        shown = name if name.isprintable() else ascii(name)[1:-1]
        if fault := limits.name_fault(name):
            reasons[shown] = f"its name {fault}"
        elif path.stat().st_size > (most := _most(name)):
            reasons[name] = f"it is larger than {most >> 20} MiB"
    return reasons


def _most(name: str) -> int:
    """Return the size limit of a file in bytes."""
    return limits.MAX_NOTEBOOK if name.endswith(".ipynb") else limits.MAX_FILE


def _ordinary(
    folder: Path, prefix: str, depth: int = limits.MAX_DEPTH
) -> Iterator[tuple[Path, str]]:
    if depth == 0:
        return
    with os.scandir(folder) as entries:
        in_order = sorted(entries, key=lambda entry: entry.name)
    for entry in in_order:
        if entry.name.startswith(".") or entry.name in _PASSED_OVER:
            continue
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            if not (Path(entry.path) / "pyvenv.cfg").exists():
                yield from _ordinary(Path(entry.path), f"{prefix}{entry.name}/", depth - 1)
        elif stat.S_ISREG(mode) and not entry.name.endswith(_SUFFIXES):
            yield Path(entry.path), prefix + entry.name
