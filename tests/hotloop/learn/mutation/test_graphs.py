"""Changes to code that builds graphs: what each makes of a node."""

import ast

import pytest

from hotloop.learn.mutation import graphs
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.tasks import curriculum, render

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
    module = curriculum.load_module("sparse_attention_op")
    work = PredictedSubmission(
        module, ("decomposition",), render.submission(module.id), render.untouched(module.id)
    )
    found = [c for c in changes(work, "decomposition") if c.edit.operator in OPERATORS]
    assert {change.edit.operator for change in found} == OPERATORS
    for change in found:
        ast.parse(change.text)


OPERATORS = {"swapped inputs", "node left out", "missing attribute"}
