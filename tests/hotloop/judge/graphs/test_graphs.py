"""Graphs of operators: built, validated, ordered, evaluated in float64, and compared."""

import random
from dataclasses import replace

import numpy as np
import pytest

from hotloop.judge.compare import Tolerance
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.evaluation import OPERATORS, difference, values
from hotloop.judge.graphs.graph import (
    Graph,
    Invalid,
    Node,
    Shape,
    expression,
    in_order,
    partitions,
    require_order,
)

EXACT = Tolerance(0.0, 0.0)


def _residual() -> Graph[Shape]:
    """relu(x @ w) + x."""
    builder = Builder[Shape]()
    x, w = builder.input("x", (3, 4)), builder.input("w", (4, 4))
    active = builder.node("relu", builder.node("matmul", x, w))
    return builder.graph([builder.node("add", active, x)])


def test_what_is_built_is_valid_and_knows_its_readers() -> None:
    graph = _residual()
    require_order(graph)
    assert [node.name for node in graph.nodes] == ["t0", "t1", "t2"]
    assert graph.readers("x") == {"t0", "t2"}
    assert graph.by_name["t2"].reads == ("t1", "x")
    assert graph.input_types() == {"x": (3, 4), "w": (4, 4)}


@pytest.mark.parametrize(
    ("nodes", "outputs", "about"),
    [
        ([Node("a", "relu", ("b",)), Node("b", "relu", ("x",))], ["b"], "before it is there"),
        ([Node("x", "relu", ("x",))], ["x"], "'x' is there twice"),
        ([Node("a", "norm", ("x",), also=("a",))], ["a"], "'a' is there twice"),
        ([Node("a", "relu", ("x",))], ["c"], "the output 'c' is not there"),
    ],
)
def test_what_is_out_of_order_is_refused(nodes: list[Node], outputs: list[str], about: str) -> None:
    with pytest.raises(Invalid, match=about):
        require_order(Graph(("x",), tuple(nodes), tuple(outputs)))


def test_an_absent_input_and_a_second_result_are_allowed() -> None:
    node = Node("a", "norm", ("x", None), also=("a.sum",))
    graph = Graph(("x",), (node, Node("b", "relu", ("a.sum",))), ("b",))
    require_order(graph)

    def compute(node: Node, inputs: object) -> list[object]:
        return [inputs] * len(node.results)

    assert values(graph, {"x": 7}, compute)["a.sum"] == [7, None]


def test_values_are_float64_and_a_wrong_shape_is_said() -> None:
    graph, rng = _residual(), np.random.default_rng(0)
    inputs = {name: rng.standard_normal(shape) for name, shape in graph.types.items()}

    def compute(node: Node, arguments: object) -> list[np.ndarray]:
        return [OPERATORS[node.op](*arguments)]

    got = values(graph, inputs, compute)
    want = np.maximum(inputs["x"] @ inputs["w"], 0) + inputs["x"]
    np.testing.assert_array_equal(got["t2"], want)
    assert difference(graph, got, got, EXACT) is None
    assert "another one" in str(difference(graph, {**got, "t2": want + 1}, got, EXACT))
    assert "another shape" in str(difference(graph, {**got, "t2": want[:1]}, got, EXACT))
    with pytest.raises(Invalid, match="node 't0' do not fit"):
        values(graph, {**inputs, "w": inputs["x"]}, compute)


def test_outputs_are_by_default_those_that_were_listed() -> None:
    builder = Builder[None]("n", inputs=["x"])
    first = builder.node("relu", "x")
    builder.node("neg", first)
    builder.outputs.append(first)
    assert builder.graph().outputs == ("n0",)
    assert builder.unread() == ["n1"]


def test_recent_values_are_preferred() -> None:
    builder = Builder[int]()
    for number in range(10):
        builder.input(f"x{number}", number)
    drawn = [builder.recent(random.Random(seed), 3) for seed in range(50)]
    assert {len(names) for names in drawn} == {3, 10}
    assert all(names[-3:] == ["x7", "x8", "x9"] for names in drawn)


def test_an_order_follows_needs_or_is_none() -> None:
    assert in_order({"a": {"b"}, "b": set(), "c": {"a"}}) == ["b", "a", "c"]
    assert in_order({"a": {"b"}, "b": {"a"}}) is None


def test_equal_expressions_have_one_key() -> None:
    assert expression("add", ["a", "b"], {"add"}) == expression("add", ["b", "a"], {"add"})
    assert expression("sub", ["a", "b"], {"add"}) != expression("sub", ["b", "a"], {"add"})
    assert expression("add", ["a", "b"], {"add"}, 1) != expression("add", ["a", "b"], {"add"}, 2)


def test_every_partition_is_there_once() -> None:
    found = list(partitions(list("abcd")))
    assert len(found) == 15
    assert len({frozenset(map(frozenset, groups)) for groups in found}) == 15


def test_a_graph_is_a_value() -> None:
    graph = _residual()
    assert replace(graph) == graph
    assert replace(graph, outputs=("t1",)) != graph
