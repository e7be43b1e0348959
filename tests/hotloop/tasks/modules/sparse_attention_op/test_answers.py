"""Plain answers: errors are named, and every kind of offer is among the questions."""

import json
from typing import Any

import numpy as np
import pytest

from hotloop.judge.constants import constants
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.sparse_attention_op import fallbacks, shapes
from hotloop.tasks.modules.sparse_attention_op.files import Order, wrong_ends

NODE = {"version": 1, "block": 16, "causal": False}
LAB = {"version": 1, "blocks": [16], "causal": False}


def runtime(**others: object) -> dict[str, object]:
    return {"opset": 20, "ir": 9, "functions": True, "lab": None, **others}


@pytest.mark.parametrize(
    ("exporter", "given", "right"),
    [
        ((15, 22), runtime(lab=LAB), {"opset": 20, "ir": 9, "form": "node"}),
        ((15, 16), runtime(lab=LAB), {"opset": 16, "ir": 8, "form": "node"}),
        ((15, 16), runtime(), None),
        ((18, 22), runtime(ir=8), {"opset": 18, "ir": 8, "form": "function"}),
        ((18, 22), runtime(functions=False), {"opset": 20, "ir": 9, "form": "decomposition"}),
        ((21, 22), runtime(), None),
        ((19, 22), runtime(ir=8), None),
    ],
)
def test_what_both_sides_can(
    exporter: tuple[int, int], given: dict[str, object], right: object
) -> None:
    assert fallbacks.agreed(exporter, NODE, given) == right


@pytest.mark.parametrize(
    ("lab", "node", "has"),
    [
        (LAB, NODE, True),
        (None, NODE, False),
        (LAB, {**NODE, "causal": True}, False),
        (LAB, {**NODE, "block": 32}, False),
        (LAB, {**NODE, "version": 2}, False),
    ],
)
def test_a_kernel_is_one_for_a_node(
    lab: dict[str, object] | None, node: dict[str, object], has: bool
) -> None:
    assert fallbacks.has_kernel(lab, node) is has


def test_every_kind_of_offer_has_a_question_and_an_answer() -> None:
    questions = list(fallbacks.questions(np.random.default_rng(0)))
    assert len(questions) == 3 * len(fallbacks.KINDS)
    for question in questions:
        (given,) = question.arguments
        assert isinstance(given, GivenFile)
        offer = json.loads(given.data)
        right = fallbacks.agreed(tuple(offer["exporter"]), offer["node"], offer["runtime"])
        assert question.mismatch(right) is None
        assert question.mismatch({"opset": 99, "ir": 99, "form": "node"}) is not None


def test_a_variant_says_by_a_number_that_nothing_fits() -> None:
    for question in fallbacks.questions(np.random.default_rng(1)):
        nothing_fits = question.mismatch(None) is None
        with constants({"NOTHING": 17}):
            assert (question.mismatch(17) is None) == nothing_fits
            assert question.mismatch(None) is not None


@pytest.mark.parametrize(
    ("batch", "length", "accepted"),
    [
        ("batch", "length", True),
        ("?", "?", True),
        ("N", "?", True),
        ("n", "n", False),
        (2, "length", False),
        ("batch", 35, False),
    ],
)
def test_free_sizes_are_named_or_not(batch: int | str, length: int | str, accepted: bool) -> None:
    shape = [batch, 2, length, 16]
    facts: dict[str, Any] = {
        "inputs": [*([name, "FLOAT", shape] for name in "qkv"), ["threshold", "FLOAT", [2]]],
        "outputs": [["out", "FLOAT", shape]],
    }
    mismatch = wrong_ends(facts, Order(18, 2, 16, 8, causal=False))
    assert (mismatch is None) == accepted


def test_a_missing_and_a_wrong_shape_are_named() -> None:
    wanted = {"a": ["batch", 2], "b": ["batch", 3]}
    assert shapes.wrong_shape(wanted, wanted) is None
    assert "has no shape" in str(shapes.wrong_shape({"a": ["batch", 2]}, wanted))
    wrong = {**wanted, "b": ["unk__0", 3]}
    assert "tensor 2 of 2" in str(shapes.wrong_shape(wrong, wanted))
