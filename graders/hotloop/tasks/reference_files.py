"""The files of a module's reference, each of which stands once in the clone.

A file with something that a learner writes stands solved in `solutions/<module>/`, and what a
learner starts from is generated from it. A file that a learner is given as it is stands in
`exercises/<module>/` only, where they read it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.tasks.notebook_cells import NOTEBOOK

NOTEBOOK_SOURCE = "lab.py"
VARIANTS = "variants.yaml"
WRONG = "wrong"

_TASK = re.compile(rb"^[ \t]*(// |# )?### TASK ", re.MULTILINE)


def sources(module: str) -> dict[str, Path]:
    """Return the reference's files by name, in order, without wrong answers and variants.

    Names have / between folders. Raises UserError if the module has no solutions.
    """
    folder = paths.solutions() / module
    if not folder.is_dir():
        raise UserError(f"there is no {folder}")
    solved = {
        name: path
        for name, path in files_below(folder).items()
        if Path(name).parts[0] not in {WRONG, VARIANTS}
    }
    files = {**given(module), **solved}
    return {name: files[name] for name in sorted(files, key=Path)}


def given(module: str) -> dict[str, Path]:
    """Return by name the files that learners get as they are: those that are not generated."""
    solved = paths.solutions() / module
    return {
        name: path
        for name, path in files_below(paths.exercises() / module).items()
        if not (solved / name).exists() and not is_generated(name, path.read_bytes())
    }


def is_generated(name: str, content: bytes) -> bool:
    """Return True if a file of exercises/ has a source: the notebook, or one that marks a task."""
    return name == NOTEBOOK or _TASK.search(content) is not None


def files_below(folder: Path) -> dict[str, Path]:
    """Return the files below `folder` by name, without caches and hidden ones."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(_walk(folder))}


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path
