"""Find nodes and tensors in a graph. Does not import onnx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PASSES_ON = ("Identity", "Cast", "Transpose")
"""Operators that pass weights on: values stay; type or axes may change."""


def nodes_within(graph: Any) -> Iterator[Any]:
    """Yield all nodes, including those of branches and loops."""
    for node in graph.node:
        yield node
        yield from nodes_inside(node)


def nodes_inside(node: Any) -> Iterator[Any]:
    """Yield the nodes of a node's subgraphs."""
    for attribute in node.attribute:
        for inner in (attribute.g, *attribute.graphs):
            yield from nodes_within(inner)


def alive(graph: Any) -> list[Any]:
    """Return the graph's own nodes that its first output depends on, in the file's order.

    A runtime removes all others, so they say nothing about what it computes.
    """
    makers = {name: at for at, node in enumerate(graph.node) for name in node.output if name}
    waiting = [value.name for value in graph.output[:1]]
    numbers: set[int] = set()
    while waiting:
        at = makers.get(waiting.pop())
        if at is None or at in numbers:
            continue
        numbers.add(at)
        node = graph.node[at]
        waiting.extend(name for each in (node, *nodes_inside(node)) for name in each.input)
    return [graph.node[at] for at in sorted(numbers)]


def stored(graph: Any) -> dict[str, Any]:
    """Return the tensors stored in the file, by the names that nodes use."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type != "Constant" or len(node.output) != 1:
            continue
        for attribute in node.attribute:
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
    return tensors


def origin(graph: Any, name: str, through: tuple[str, ...]) -> str:
    """Return the tensor that a name stands for if the operators in `through` pass it on."""
    makers = {output: node for node in graph.node for output in node.output}
    for _ in range(len(graph.node)):
        node = makers.get(name)
        if node is None or node.op_type not in through or not node.input:
            break
        name = node.input[0]
    return name
