"""Which cells of a notebook only show something, and need not run to judge it.

They hold nothing but imports and calls of what `hotloop.engines.simulate.lesson` defines:
counted bytes, PyTorch's own checks of an operator, a comparison. They take longer than other cells.
"""

import ast
from collections.abc import Collection, Iterator, Sequence

LESSON = "hotloop.engines.simulate.lesson"

NOT_RUN = "Not run when graded: it only shows something."


def left_to_run(sources: Sequence[str]) -> list[str]:
    """Return the cells' sources; of those that only show, the imports, or "".

    A name that the notebook also binds to something else is left alone, and so is a cell that is
    not Python alone.
    """
    trees = [_parsed(source) for source in sources]
    names = _names([tree for tree in trees if tree is not None])
    return [
        source if tree is None else _without(source, tree, names)
        for source, tree in zip(sources, trees, strict=True)
    ]


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(trees: Sequence[ast.Module]) -> set[str]:
    bound = [pair for tree in trees for node in ast.walk(tree) for pair in _bound(node)]
    others = {name for name, ours in bound if not ours}
    return {name for name, ours in bound if ours} - others


def _bound(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield each name that a node binds, and whether to what the lesson module defines."""
    if isinstance(node, ast.ImportFrom | ast.Import):
        ours = isinstance(node, ast.ImportFrom) and node.module == LESSON
        yield from ((alias.asname or alias.name, ours) for alias in node.names)
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, False
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, False


def _without(source: str, tree: ast.Module, names: Collection[str]) -> str:
    left = [statement for statement in tree.body if not _only_shows(statement, names)]
    is_all = len(left) == len(tree.body)
    if is_all or not all(isinstance(one, ast.Import | ast.ImportFrom) for one in left):
        return source
    return ast.unparse(ast.Module(left, []))


def _only_shows(statement: ast.stmt, names: Collection[str]) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(call := statement.value, ast.Call):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    is_plain = all(isinstance(value, ast.Constant) for value in given)
    return is_plain and isinstance(call.func, ast.Name) and call.func.id in names
