"""Changes to Python code that builds a graph, one node at a time.

That is `onnx.helper.make_node("Concat", inputs, outputs, axis=0)`, `op.Concat(a, b, axis=0)` of
onnxscript, and `graph.call_function(operator.add, (a, b))` of torch.fx.
"""

import ast
from collections.abc import Iterator, Sequence

from hotloop.learn.mutation import Edit
from hotloop.learn.mutation.python_code import Source

_ABOUT = {"domain", "name", "doc_string", "overload", "kwargs", "type_expr"}
"""Keywords that are no attribute of a node."""

_CALLS = {"call_function", "call_module", "call_method"}


def edits(text: str) -> Iterator[Edit]:
    """Yield every change to a node that the code makes. Raises SyntaxError as `ast.parse` does."""
    source = Source(text)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and (inputs := _inputs(node)) is not None:
            yield from _swapped(inputs, source)
            yield from _left_out(node, inputs, source)
            yield from _without_attributes(node, source)


def _inputs(call: ast.Call) -> Sequence[ast.expr] | None:
    """Return the expressions of a node's inputs, or None if the call makes no node."""
    if not isinstance(call.func, ast.Attribute):
        return None
    name, owner = call.func.attr, call.func.value
    if name == "make_node" or name in _CALLS:
        listed = call.args[1] if len(call.args) > 1 else None
        return listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    if isinstance(owner, ast.Name) and owner.id == "op" and name[0].isupper():
        return call.args
    return None


def _swapped(inputs: Sequence[ast.expr], source: Source) -> Iterator[Edit]:
    if len(inputs) < 2:
        return
    first, second = source.of(inputs[0]), source.of(inputs[1])
    (start, middle), (behind, end) = source.span(inputs[0]), source.span(inputs[1])
    if first != second:
        yield Edit("swapped inputs", start, end, second + source.text[middle:behind] + first)


def _left_out(call: ast.Call, inputs: Sequence[ast.expr], source: Source) -> Iterator[Edit]:
    """Pass the first input on in place of what the node computes."""
    if not inputs or not isinstance(call.func, ast.Attribute):
        return
    start, end = source.span(call)
    if call.func.attr != "make_node":
        yield Edit("node left out", start, end, source.of(inputs[0]))
    elif len(call.args) > 2:
        passed_on = ('"Identity"', f"[{source.of(inputs[0])}]", source.of(call.args[2]))
        function = source.of(call.func)
        yield Edit("node left out", start, end, f"{function}({', '.join(passed_on)})")


def _without_attributes(call: ast.Call, source: Source) -> Iterator[Edit]:
    for keyword in call.keywords:
        start, end = source.span(keyword)
        before = source.text[:start].rstrip(" \n")
        if keyword.arg not in {None, *_ABOUT} and before.endswith(","):
            yield Edit("missing attribute", len(before) - 1, end, "")
