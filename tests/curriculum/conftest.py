"""Programs of the curriculum run where what they import is installed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop import extras


def imported(source: str) -> set[str]:
    """The packages that a program imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    froms = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in [*names, *froms] if name}


def gap(source: str) -> str:
    """What an optional group would bring that the program imports and that is missing here."""
    wanted = imported(source)
    for group, packages in extras.IMPORTED.items():
        lacking = wanted & set(extras.missing(group)) & set(packages)
        if lacking:
            return f"{', '.join(sorted(lacking))} not installed: {extras.remedy(group)}"
    return ""


@pytest.fixture
def require() -> Callable[[Path], None]:
    """Skips with the reason where a program cannot run, with what it imports."""

    def require_imports(path: Path) -> None:
        if reason := gap(path.read_text(encoding="utf-8")):
            pytest.skip(reason)

    return require_imports
