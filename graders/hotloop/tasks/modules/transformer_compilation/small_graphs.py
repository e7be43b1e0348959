"""Graphs of transformer operators as plain data: their validation and evaluation.

A graph is {"inputs": {name: shape}, "nodes": [...], "outputs": [names]}. A node is {"name", "op",
"inputs": [names]}, with "eps" for a norm and "approximate" for a gelu. Each node is one kernel. The
fused ops are bias_gelu(x, bias) = gelu(x + bias), and add_layer_norm(x, bias, residual, weight,
shift). The latter also gives the sum x + bias + residual, named after the node with ".sum"
appended; its bias may be null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list, as_message

Floats = NDArray[np.float64]
Shape = tuple[int, ...]

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
SUM = ".sum"
MOST_NODES = 400


class Invalid(Exception):
    """The graph is invalid; the message is the start of a sentence."""


@dataclass(frozen=True)
class Node:
    """A kernel. inputs: names; None for an absent optional input."""

    name: str
    op: str
    inputs: tuple[str | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def plain(self) -> dict[str, Any]:
        """Return the node as plain data."""
        return {"name": self.name, "op": self.op, "inputs": list(self.inputs), **self.attributes}


@dataclass(frozen=True)
class Graph:
    """A graph. inputs: the shape of each input."""

    inputs: Mapping[str, Shape]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """Return the graph as plain data."""
        return {
            "inputs": {name: list(shape) for name, shape in self.inputs.items()},
            "nodes": [node.plain() for node in self.nodes],
            "outputs": list(self.outputs),
        }


def read(answer: object, like: Graph) -> Graph:
    """Return the graph that a candidate made of `like`.

    Raises Invalid if it is malformed or has other inputs or outputs.
    """
    graph = as_message(answer)
    if graph is None:
        raise Invalid("the answer is no graph")
    inputs = {name: list(shape) for name, shape in like.inputs.items()}
    if graph.get("inputs") != inputs:
        raise Invalid("its inputs are others")
    if graph.get("outputs") != list(like.outputs):
        raise Invalid("its outputs have other names")
    nodes = as_list(graph.get("nodes"))
    if len(nodes) > MOST_NODES:
        raise Invalid(f"it has {len(nodes)} nodes")
    found = Graph(like.inputs, tuple(_node(node) for node in nodes), like.outputs)
    _require_order(found)
    return found


def _node(answer: object) -> Node:
    node = as_message(answer)
    if node is None:
        raise Invalid("one of its nodes is no dict")
    name, op, inputs = node.get("name"), node.get("op"), as_list(node.get("inputs"))
    if not isinstance(name, str) or not isinstance(op, str) or op not in ARITY:
        raise Invalid("one of its nodes has no name, or an operator that there is not")
    if len(inputs) != ARITY[op]:
        raise Invalid(f"node {name[:40]!r} has {len(inputs)} inputs")
    given: list[str | None] = []
    for place, each in enumerate(inputs):
        optional = op == "add_layer_norm" and place == 1
        if not isinstance(each, str) and not (optional and each is None):
            raise Invalid(f"input {place} of node {name[:40]!r} is no name")
        given.append(each if isinstance(each, str) else None)
    return Node(name, op, tuple(given), _attributes(name, op, node))


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


def _require_order(graph: Graph) -> None:
    known = set(graph.inputs)
    for node in graph.nodes:
        for each in node.inputs:
            if each is not None and each not in known:
                raise Invalid(f"node {node.name[:40]!r} uses {each[:40]!r} before it is there")
        for name in results(node):
            if name in known:
                raise Invalid(f"{name[:40]!r} is there twice")
            known.add(name)
    for name in graph.outputs:
        if name not in known:
            raise Invalid(f"the output {name!r} is not there")


def results(node: Node) -> tuple[str, ...]:
    """Return the names of a node's results."""
    return (node.name, node.name + SUM) if node.op == "add_layer_norm" else (node.name,)


def run(graph: Graph, given: Mapping[str, Floats]) -> list[Floats]:
    """Return the outputs, in float64. Raises Invalid if shapes do not fit."""
    values: dict[str, Floats] = dict(given)
    for node in graph.nodes:
        arguments = [None if each is None else values[each] for each in node.inputs]
        try:
            found = _computed(node, arguments)
        except ValueError:
            raise Invalid(f"the shapes of node {node.name[:40]!r} do not fit") from None
        values |= dict(zip(results(node), found, strict=True))
    return [values[name] for name in graph.outputs]


def _computed(node: Node, arguments: Sequence[Floats | None]) -> tuple[Floats, ...]:
    given = [each for each in arguments if each is not None]
    if node.op == "matmul":
        return (given[0] @ given[1],)
    if node.op == "add":
        return (given[0] + given[1],)
    if node.op == "mul":
        return (given[0] * given[1],)
    if node.op == "relu":
        return (np.maximum(given[0], 0.0),)
    if node.op == "gelu":
        return (gelu(given[0], node.attributes["approximate"]),)
    if node.op == "layer_norm":
        return (norm(given[0], given[1], given[2], node.attributes["eps"]),)
    if node.op == "bias_gelu":
        return (_bias_gelu(given[0], given[1], node),)
    return _add_layer_norm(arguments, node)


def _bias_gelu(x: Floats, bias: Floats, node: Node) -> Floats:
    if bias.ndim != 1 or bias.shape[0] != x.shape[-1]:
        raise Invalid(f"the bias of node {node.name[:40]!r} is no vector of its width")
    return gelu(x + bias, node.attributes["approximate"])


def _add_layer_norm(arguments: Sequence[Floats | None], node: Node) -> tuple[Floats, ...]:
    x, bias, residual, weight, shift = arguments
    if x is None or residual is None or weight is None or shift is None:
        raise ValueError("only a bias may be absent")
    if x.shape != residual.shape:
        raise Invalid(f"the residual of node {node.name[:40]!r} has another shape than x")
    if bias is not None and bias.shape != x.shape[-1:]:
        raise Invalid(f"the bias of node {node.name[:40]!r} is no vector of its width")
    total = x + residual if bias is None else x + bias + residual
    return norm(total, weight, shift, node.attributes["eps"]), total


def norm(x: Floats, weight: Floats, shift: Floats, eps: float) -> Floats:
    """Layer norm over the last axis."""
    if weight.shape != x.shape[-1:] or shift.shape != x.shape[-1:]:
        raise ValueError("a norm's weight and shift are vectors of its width")
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * weight + shift


def gelu(x: Floats, approximate: str) -> Floats:
    """Return gelu by tanh if `approximate` is "tanh", else by the error function."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    errors = np.vectorize(math.erf, otypes=[np.float64])
    return 0.5 * x * (1 + errors(x / math.sqrt(2)))
