"""Finds the names that a notebook cell defines for other cells, and those that it uses."""

import ast
import symtable
import warnings
from collections.abc import Iterator


def bound(source: str) -> set[str]:
    """Return the names that the cell binds at top level; none if it is not valid Python."""
    table = _table(source)
    if table is None:
        return set()
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


def read(source: str) -> set[str]:
    """Return the names that the cell reads from global scope, including its own."""
    table = _table(source)
    return set() if table is None else set(_global_reads(table))


def modules(source: str) -> set[str]:
    """Return the modules that the cell imports."""
    names: set[str] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def texts(source: str) -> set[str]:
    """Return the string literals in the cell."""
    nodes = _nodes(source)
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def called(source: str) -> set[str]:
    """Return the last names of called functions: `f` for `module.f(x)`."""
    functions = [node.func for node in _nodes(source) if isinstance(node, ast.Call)]
    return {
        f.attr if isinstance(f, ast.Attribute) else f.id
        for f in functions
        if isinstance(f, ast.Attribute | ast.Name)
    }


def statements(source: str) -> list[str]:
    """Return the source of each top-level statement; none if it is not valid Python."""
    try:
        body = _parsed(source).body
    except SyntaxError:
        return []
    lines = source.splitlines()
    texts: list[str] = []
    for statement in body:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        texts.append("\n".join(lines[first - 1 : statement.end_lineno]))
    return texts


def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(_parsed(source)))
    except SyntaxError:
        return []


def _table(source: str) -> symtable.SymbolTable | None:
    try:
        _parsed(source)
        return symtable.symtable(source, "cell", "exec")
    except SyntaxError:
        return None


def _parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(source)


def _global_reads(table: symtable.SymbolTable) -> Iterator[str]:
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_reads(child)
