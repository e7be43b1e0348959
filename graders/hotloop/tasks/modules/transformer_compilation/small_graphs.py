"""Graphs of transformer operators as plain data: reading a candidate's, and evaluation.

A graph is {"inputs": {name: shape}, "nodes": [...], "outputs": [names]}. A node is {"name", "op",
"inputs": [names]}, with "eps" for a norm and "approximate" for a gelu. Each node is one kernel. The
fused ops are bias_gelu(x, bias) = gelu(x + bias), and add_layer_norm(x, bias, residual, weight,
shift). The latter also gives the sum x + bias + residual, named after the node with ".sum"
appended; its bias may be null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotloop.core.wire import as_list, as_message
from hotloop.judge.compare import Floats
from hotloop.judge.graphs.evaluation import OPERATORS, gelu, layer_norm, values
from hotloop.judge.graphs.graph import Graph, Invalid, Node, Shape, require_order

ARITY = {
    "matmul": 2,
    "add": 2,
    "mul": 2,
    "relu": 1,
    "gelu": 1,
    "layer_norm": 3,
    "bias_gelu": 2,
    "add_layer_norm": 5,
}
MOST_NODES = 400


def plain(graph: Graph[Shape]) -> dict[str, Any]:
    """Return the graph as plain data."""
    nodes = [
        {"name": node.name, "op": node.op, "inputs": list(node.inputs), **node.attributes}
        for node in graph.nodes
    ]
    inputs = {name: list(shape) for name, shape in graph.input_types().items()}
    return {"inputs": inputs, "nodes": nodes, "outputs": list(graph.outputs)}


def read(answer: object, like: Graph[Shape]) -> Graph[Shape]:
    """Return the graph that a candidate made of `like`.

    Raises Invalid if it is malformed or has other inputs or outputs.
    """
    graph = as_message(answer)
    if graph is None:
        raise Invalid("the answer is no graph")
    source = plain(like)
    if graph.get("inputs") != source["inputs"]:
        raise Invalid("its inputs are others")
    if graph.get("outputs") != source["outputs"]:
        raise Invalid("its outputs have other names")
    nodes = as_list(graph.get("nodes"))
    if len(nodes) > MOST_NODES:
        raise Invalid(f"it has {len(nodes)} nodes")
    rewritten = Graph(like.inputs, tuple(map(_node, nodes)), like.outputs, like.input_types())
    require_order(rewritten)
    return rewritten


def _node(answer: object) -> Node:
    node = as_message(answer)
    if node is None:
        raise Invalid("one of its nodes is no dict")
    name, op, inputs = node.get("name"), node.get("op"), as_list(node.get("inputs"))
    if not isinstance(name, str) or not isinstance(op, str) or op not in ARITY:
        raise Invalid("one of its nodes has no name, or an operator that there is not")
    if len(inputs) != ARITY[op]:
        raise Invalid(f"node {name[:40]!r} has {len(inputs)} inputs")
    names: list[str | None] = []
    for place, each in enumerate(inputs):
        optional = op == "add_layer_norm" and place == 1
        if not isinstance(each, str) and not (optional and each is None):
            raise Invalid(f"input {place} of node {name[:40]!r} is no name")
        names.append(each if isinstance(each, str) else None)
    also = (f"{name}.sum",) if op == "add_layer_norm" else ()
    return Node(name, op, tuple(names), _attributes(name, op, node), also)


def _attributes(name: str, op: str, node: Mapping[str, Any]) -> dict[str, Any]:
    if op in {"layer_norm", "add_layer_norm"}:
        eps = node.get("eps")
        if not isinstance(eps, float) or not 0 < eps < 1:
            raise Invalid(f"node {name[:40]!r} has no eps")
        return {"eps": eps}
    if op in {"gelu", "bias_gelu"}:
        if node.get("approximate") not in ("none", "tanh"):
            raise Invalid(f"node {name[:40]!r} does not say which gelu it is")
        return {"approximate": node["approximate"]}
    return {}


def run(graph: Graph[Shape], inputs: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return all values by name, in float64. Raises Invalid if shapes do not fit."""
    return values(graph, inputs, _computed)


def _computed(node: Node, arguments: Sequence[Floats | None]) -> tuple[Floats, ...]:
    if node.op == "add_layer_norm":
        return _add_layer_norm(arguments, node)
    operands = [each for each in arguments if each is not None]
    if node.op != "bias_gelu":
        return (OPERATORS[node.op](*operands, **node.attributes),)
    x, bias = operands
    if bias.shape != x.shape[-1:]:
        raise Invalid(f"the bias of node {node.name[:40]!r} is no vector of its width")
    return (gelu(x + bias, node.attributes["approximate"]),)


def _add_layer_norm(arguments: Sequence[Floats | None], node: Node) -> tuple[Floats, ...]:
    x, bias, residual, weight, shift = arguments
    if x is None or residual is None or weight is None or shift is None:
        raise ValueError("only a bias may be absent")
    if x.shape != residual.shape:
        raise Invalid(f"the residual of node {node.name[:40]!r} has another shape than x")
    if bias is not None and bias.shape != x.shape[-1:]:
        raise Invalid(f"the bias of node {node.name[:40]!r} is no vector of its width")
    total = x + residual if bias is None else x + bias + residual
    return layer_norm(total, weight, shift, node.attributes["eps"]), total
