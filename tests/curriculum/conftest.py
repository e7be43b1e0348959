"""Programs of the curriculum run where what they import is installed."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core import extras, paths


def imported(source: str, *, at_once: bool = False) -> set[str]:
    """The modules that a program imports, wherever in it, or as it is imported itself."""
    tree = ast.parse(source)
    nodes = tree.body if at_once else list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    froms = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name for name in [*names, *froms] if name}


def shared_folders(path: Path) -> tuple[Path, ...]:
    """Where a module's programs find what they share, none for a program outside of a module."""
    for tree in (paths.curriculum(), paths.solutions(), paths.exercises()):
        if tree in path.parents:
            module = path.relative_to(tree).parts[0]
            beside = [Path(folder) for folder in paths.beside_notebook(module)]
            return paths.curriculum() / module / "proofs", *beside
    return ()


def needed(path: Path, seen: frozenset[Path] = frozenset()) -> set[str]:
    """The packages that a program imports, by itself or by what it shares with others.

    What a solution imports in one of its functions may never be needed.
    """
    found: set[str] = set()
    solved = {paths.solutions(), paths.exercises()}.intersection(path.parents)
    folders = (path.parent, *shared_folders(path))
    for name in imported(path.read_text(encoding="utf-8"), at_once=bool(solved)):
        for folder in folders:
            shared = folder.joinpath(*name.split(".")).with_suffix(".py")
            if shared.is_file() and shared not in seen:
                found |= needed(shared, seen | {path})
        found.add(name.partition(".")[0])
    return found


def gap(packages: set[str]) -> str:
    """What an optional group would bring that a program needs and that is missing here."""
    for group, brought in extras.IMPORTED.items():
        lacking = packages & set(extras.missing(group)) & set(brought)
        if lacking:
            return f"{', '.join(sorted(lacking))} not installed: {extras.remedy(group)}"
    return ""


@pytest.fixture
def require() -> Callable[[Path], None]:
    """Skips with the reason where a program cannot run, with what it imports."""

    def require_imports(path: Path) -> None:
        if reason := gap(needed(path)):
            pytest.skip(reason)

    return require_imports
