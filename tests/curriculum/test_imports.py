"""What files of a module import from the package exists; most of them run in slow tests only."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hotloop.core import paths

TREES = (paths.curriculum(), paths.solutions(), paths.exercises())
PACKAGE = Path(paths.__file__).parents[2]


@cache
def names_of(module: str) -> frozenset[str]:
    """Return the names that a module of the package binds anywhere, and its submodules."""
    path = PACKAGE.joinpath(*module.split("."))
    if not path.is_dir():
        return _bound(path.with_suffix(".py"))
    submodules = {child.stem for child in path.iterdir()}
    return _bound(path / "__init__.py") | submodules


def _bound(file: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return frozenset(names)


def imports(file: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, module and name of each `from hotloop… import …`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hotloop"):
            for alias in node.names:
                yield node.lineno, str(node.module), alias.name


def test_every_name_that_is_imported_from_the_package_exists() -> None:
    files = [file for tree in TREES for file in sorted(tree.rglob("*.py"))]
    imported = [(file, *each) for file in files for each in imports(file)]
    assert len(imported) > 300
    missing = [
        f"{file}:{line}: {module}.{name}"
        for file, line, module, name in imported
        if name not in names_of(module) and "__getattr__" not in names_of(module)
    ]
    assert missing == []
