"""Changes to code that builds graphs: what each makes of a node."""

import ast

import pytest

from hotloop.learn.mutation import graphs
from hotloop.tasks import render

ONNX = 'n = helper.make_node("Concat", [a, b], ["y"], axis=0, name="join")'
SCRIPT = "y = op.Transpose(op.MatMul(q, k), perm=[0, 2, 1])"
FX = "y = graph.call_function(operator.sub, (a, b))"


def _made(text: str) -> set[tuple[str, str]]:
    return {(edit.operator, edit.made_in(text)) for edit in graphs.edits(text)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            ONNX,
            {
                ("swapped inputs", ONNX.replace("a, b", "b, a")),
                ("node left out", 'n = helper.make_node("Identity", [a], ["y"])'),
                ("missing attribute", ONNX.replace(", axis=0", "")),
            },
        ),
        (
            SCRIPT,
            {
                ("swapped inputs", SCRIPT.replace("q, k", "k, q")),
                ("node left out", "y = op.MatMul(q, k)"),
                ("node left out", SCRIPT.replace("op.MatMul(q, k)", "q")),
                ("missing attribute", "y = op.Transpose(op.MatMul(q, k))"),
            },
        ),
        (FX, {("swapped inputs", FX.replace("a, b", "b, a")), ("node left out", "y = a")}),
        ('options.Level(a, b)\nmake_node("Add", names, outputs)', set()),
    ],
)
def test_what_is_made_of_a_node(text: str, wanted: set[tuple[str, str]]) -> None:
    assert _made(text) == wanted


def test_every_change_to_a_solution_can_be_read() -> None:
    text = render.submission("sparse_attention_op")["export_ops.py"].decode()
    found = list(graphs.edits(text))
    assert {edit.operator for edit in found} == OPERATORS
    for edit in found:
        ast.parse(edit.made_in(text))


OPERATORS = {"swapped inputs", "node left out", "missing attribute"}
