"""Every judging has each kind of sum before a norm, whatever is sampled."""

import numpy as np
import pytest

from hotloop.judge.graphs.graph import Graph, Node, Shape
from hotloop.tasks.modules.transformer_compilation import fusing


@pytest.mark.parametrize("seed", range(100))
def test_every_reason_for_leaving_a_norm_alone_is_there(seed: int) -> None:
    graphs = [graph for graph, _ in fusing.graphs(np.random.default_rng(seed))]
    seen = {name for graph in graphs for norm in _norms(graph) for name in _about(graph, norm)}
    assert seen >= {
        "no sum",
        "an output",
        "used before the norm, first",
        "used before the norm, second",
        "two biases",
        "a bias in either operand",
        "a bias alone",
    }


def _norms(graph: Graph[Shape]) -> list[Node]:
    return [node for node in graph.nodes if node.op == "layer_norm"]


def _about(graph: Graph[Shape], norm: Node) -> set[str]:
    total = graph.by_name[str(norm.inputs[0])]
    if total.op != "add":
        return {"no sum"}
    found = {"an output"} if total.name in graph.outputs else set[str]()
    places = [node.name for node in graph.nodes]
    for node in graph.nodes[places.index(total.name) : places.index(norm.name)]:
        for place, told in enumerate(("first", "second")):
            if len(node.inputs) == 2 and node.inputs[place] == total.name:
                found.add(f"used before the norm, {told}")
    if any(len(graph.types.get(str(name), (0, 0))) == 1 for name in total.inputs):
        return {*found, "a bias alone"}
    inner = [graph.by_name[str(name)] for name in total.inputs if str(name) in graph.by_name]
    biased = [node for node in inner if node.op == "add"]
    if len(biased) == 2:
        found.add("two biases")
    return {*found, "a bias in either operand"} if len(biased) == 1 else found
