"""Signs that it matters to a submission which inputs it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hotloop.author.external.own_work.sign import Sign
from hotloop.author.external.own_work.source import ANSWERING, Function, Source, line_of

_VALUE = frozenset(
    {"amax", "max", "amin", "min", "mean", "norm", "sum", "abs", "item", "std", "var"}
)
_NO_VALUE = frozenset(
    {
        *("shape", "size", "dtype", "device", "stride", "numel", "dim", "ndim", "is_contiguous"),
        *("data_ptr", "element_size", "is_cuda", "_version", "nelement", "storage_offset"),
        *("requires_grad", "is_floating_point", "type", "layout"),
    }
)


def keeps_answers(source: Source) -> Iterator[Sign]:
    """A call with a tensor of an earlier call does less: it is told by which tensor it is given."""
    for function in source.host_functions():
        parameters = {each.arg for each in function.args.args} - {"self"}
        for node in ast.walk(function):
            if not isinstance(node, ast.If):
                continue
            same = _compares_identity(node.test, parameters)
            if same and (does := _saves(node, function, source, is_same=same[1])):
                words = f"for the `{same[0]}` of an earlier call it {does}"
                yield Sign("kept", node.lineno, words)


def _saves(node: ast.If, function: Function, source: Source, *, is_same: bool) -> str:
    """Return what is saved for a tensor of an earlier call; "" if nothing that is an answer's.

    With a version a tensor's values are known too, and only an answer must not be kept.
    """
    versioned = "_version" in ast.unparse(node.test)
    if is_same:
        answers = function.name in ANSWERING or not versioned
        return "returns what it has kept" if answers and _returns_kept(node.body) else ""
    launches = not versioned and _launches(ast.Module(node.body, []), source)
    is_graph = "graph" in ast.unparse(node).lower()
    return "leaves kernels out" if launches and not is_graph else ""


def _compares_identity(test: ast.expr, parameters: set[str]) -> tuple[str, bool] | None:
    """Return the parameter that is compared by identity with something kept; if for equality."""
    for node in ast.walk(test):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        if not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            continue
        sides = [node.left, *node.comparators]
        names = [_identified(side, parameters, type(node.ops[0])) for side in sides]
        kept = [isinstance(side, ast.Attribute | ast.Subscript) for side in sides]
        for name, other in ((names[0], kept[1]), (names[1], kept[0])):
            if name and other:
                return name, isinstance(node.ops[0], ast.Is | ast.Eq)
    return None


def _identified(side: ast.expr, parameters: set[str], operator: type[ast.cmpop]) -> str | None:
    if isinstance(side, ast.Name) and side.id in parameters:
        return side.id if operator in (ast.Is, ast.IsNot) else None
    if isinstance(side, ast.Call):
        text = ast.unparse(side)
        for name in parameters:
            if text in (f"id({name})", f"{name}.data_ptr()"):
                return name
    return None


def _returns_kept(body: list[ast.stmt]) -> bool:
    """Return whether statements return something kept, and call nothing."""
    calls = any(isinstance(each, ast.Call) for one in body for each in ast.walk(one))
    last = body[-1]
    return (
        not calls
        and isinstance(last, ast.Return)
        and isinstance(last.value, ast.Attribute | ast.Subscript | ast.Tuple)
    )


def _launches(body: ast.AST, source: Source) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in source.kernels
        for node in ast.walk(body)
    )


def goes_by_values(source: Source) -> Iterator[Sign]:
    """The size of the inputs' numbers chooses how it computes."""
    for function in source.answering():
        values = {each.arg for each in function.args.args if each.arg != "self"}
        flags: set[str] = set()
        for node in sorted(ast.walk(function), key=line_of):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if _threshold(node.value, values):
                    flags.add(name)
                elif _reads(node.value, values):
                    values.add(name)
            if isinstance(node, ast.If | ast.IfExp):
                named = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
                if flags & named or _threshold(node.test, values):
                    words = "the size of the inputs' numbers chooses how it computes"
                    yield Sign("values", node.lineno, words)
                    return


def _threshold(expression: ast.expr, values: set[str]) -> bool:
    """Return whether a statistic of tensors' values is compared with a fraction."""
    for node in ast.walk(expression):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        fixed = any(isinstance(s, ast.Constant) and isinstance(s.value, float) for s in sides)
        asked = any(
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _VALUE
            and _reads(each, values)
            for side in sides
            for each in ast.walk(side)
        )
        if fixed and asked:
            return True
    return False


def _reads(expression: ast.expr, values: set[str]) -> bool:
    """Return whether an expression reads values, and not only shapes and the like."""
    waiting: list[ast.AST] = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Attribute) and node.attr in _NO_VALUE:
            continue
        if isinstance(node, ast.Name) and node.id in values:
            return True
        waiting += ast.iter_child_nodes(node)
    return False
