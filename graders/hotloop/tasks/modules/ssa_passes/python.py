"""Print a tree as the source of a Python function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hotloop.tasks.modules.ssa_passes.trees import (
    Assign,
    Const,
    Expr,
    For,
    If,
    Leave,
    Print,
    Return,
    Stmt,
    Tree,
    Var,
    While,
)

SIGNS: Mapping[str, str] = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "//",
    "mod": "%",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "and": "and",
    "or": "or",
}


def source(tree: Tree, name: str = "f") -> str:
    """Return the source of a function of ints."""
    params = ", ".join(f"{param.name}: int" for param in tree.params)
    return "\n".join([f"def {name}({params}) -> int:", *_block(tree.body, 1)]) + "\n"


def _block(body: list[Stmt], depth: int) -> Iterator[str]:
    for stmt in body:
        yield from _stmt(stmt, depth)


def _stmt(stmt: Stmt, depth: int) -> Iterator[str]:
    indent = "    " * depth
    if isinstance(stmt, Assign):
        yield f"{indent}{stmt.to.name} = {_expr(stmt.value)}"
    elif isinstance(stmt, Print):
        yield f"{indent}print({_expr(stmt.value)})"
    elif isinstance(stmt, Return):
        yield f"{indent}return {_expr(stmt.value)}"
    elif isinstance(stmt, Leave):
        yield indent + stmt.word
    elif isinstance(stmt, If):
        yield f"{indent}if {_expr(stmt.condition)}:"
        yield from _block(stmt.then, depth + 1)
        if stmt.other:
            yield f"{indent}else:"
            yield from _block(stmt.other, depth + 1)
    elif isinstance(stmt, While):
        yield f"{indent}while {_expr(stmt.condition)}:"
        yield from _block(stmt.body, depth + 1)
    else:
        yield f"{indent}for {stmt.to.name} in {_range(stmt)}:"
        yield from _block(stmt.body, depth + 1)


def _range(stmt: For) -> str:
    bounds = (stmt.start, stmt.stop)
    return f"range({', '.join(map(_expr, bounds[stmt.start == Const(0) :]))})"


def _expr(expr: Expr) -> str:
    if isinstance(expr, Const):
        return str(expr.value)
    if isinstance(expr, Var):
        return expr.name
    if expr.op == "not":
        return f"(not {_expr(expr.args[0])})"
    return f"({_expr(expr.args[0])} {SIGNS[expr.op]} {_expr(expr.args[1])})"
