"""Identifies the code that a verdict depends on, to tell whether a stored one is out of date."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from hotloop.core import paths
from hotloop.judge.task import folder_of

_PACKAGE = Path(__file__).resolve().parents[1]

PARTS = ("core", "judge", "worker", "sandbox", "engines")
"""Folders of the package that affect verdicts of all modules."""

COURSE = (
    "channels.py",
    "execution.py",
    "hand_in.py",
    "inspect_markdown.py",
    "judging.py",
    "judging_corrections.py",
    "kernel.py",
    "notebook_run.py",
    "outputs.py",
    "repair.py",
    "sanitize.py",
)
"""Files of course/ that run a notebook or decide which parts of a hand-in are run."""


def grader_digest(module: str, source: str | None = None) -> str:
    """Return the SHA-256 of all code and data that can change a verdict about `module`.

    Code is read once per process, as it was imported; the module's curriculum data is read each
    time. source: as in `Job`.
    """
    folder = paths.curriculum() / module
    described = [folder / "module.yaml", *sorted((folder / "model").rglob("*"))]
    data = [_content(path) for path in described if path.is_file()]
    return _digest([_shared_code(), _code_of(module, source), *data])


@cache
def _shared_code() -> str:
    files = [path for part in PARTS for path in _below(_PACKAGE / part)]
    files += [_PACKAGE / "course" / name for name in COURSE]
    files += [_PACKAGE / "tasks" / "curriculum.py", _PACKAGE / "tasks" / "modules" / "__init__.py"]
    return _of_files(_PACKAGE, files)


@cache
def _code_of(module: str, source: str | None) -> str:
    folder = folder_of(module, source)
    return _of_files(folder, _below(folder))


def _of_files(folder: Path, files: Iterable[Path]) -> str:
    named = [(path.relative_to(folder).as_posix(), _content(path)) for path in sorted(files)]
    return _digest([word for pair in named for word in pair])


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(words: list[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path
