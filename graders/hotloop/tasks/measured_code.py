"""Digest of a module's solutions and checks, to tell whether a recorded run is out of date.

Each run stores the digest of the code that it measured. Comments, docstrings and a notebook's prose
do not count, because they change no measurement. The judge has a digest of its own, stored with
Hotloop's version (`evidence.measured_by`).
"""

import ast
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import cast

from hotloop.core import paths
from hotloop.tasks.reference_files import VARIANTS, files_below, given


@cache
def measured_code(module: str) -> str:
    """Return the first 16 hex digits of the SHA-256 over the files' names and code."""
    total = hashlib.sha256()
    for name, path in _files(module):
        total.update(f"{name}\0".encode())
        total.update(digest_of_file(path))
    return total.hexdigest()[:16]


def digest_of_file(path: Path) -> bytes:
    """Return the SHA-256 of a file's bytes; for Python, of its syntax tree without docstrings."""
    content = path.read_bytes()
    if path.suffix == ".py":
        with suppress(SyntaxError):  # a wrong answer may be one that Python cannot read
            content = repr(_plain(ast.parse(content))).encode()
    return hashlib.sha256(content).digest()


def _plain(node: object) -> object:
    """Convert a syntax tree to nested lists.

    Empty fields are left out, because new versions of Python add fields.
    """
    if isinstance(node, list):
        return [_plain(each) for each in cast(list[object], node) if not _is_docstring(each)]
    if not isinstance(node, ast.AST):
        return node
    filled = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    return [type(node).__name__, *((name, _plain(value)) for name, value in filled)]


def _is_docstring(statement: object) -> bool:
    """Return True for a statement that is only a string, as docstrings of attributes are too."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _files(module: str) -> Iterator[tuple[str, Path]]:
    """The solutions, wrong ones and given files too, and the module's checks.

    Not what differs in a take-home: a run measures the module as it is.
    """
    solutions = {**files_below(paths.solutions() / module), **given(module)}
    for name in sorted(solutions.keys() - {VARIANTS}, key=Path):
        yield f"solutions/{name}", solutions[name]
    for name, path in files_below(Path(__file__).parent / "modules" / module).items():
        yield f"checks/{name}", path
