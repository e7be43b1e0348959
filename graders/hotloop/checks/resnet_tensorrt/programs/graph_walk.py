"""What of a graph counts: the nodes that its first output needs. Without onnx's own help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PASSES_ON = ("Identity", "Cast", "Transpose")
"""Operators that hand weights on: the values stay, or their types or axes change."""


def nodes_within(graph: Any) -> Iterator[Any]:
    """All nodes, those of branches and loops too."""
    for node in graph.node:
        yield node
        yield from nodes_inside(node)


def nodes_inside(node: Any) -> Iterator[Any]:
    """The nodes of a node's own graphs."""
    for attribute in node.attribute:
        for inner in (attribute.g, *attribute.graphs):
            yield from nodes_within(inner)


def alive(graph: Any) -> list[Any]:
    """The nodes of the graph itself that its first output depends on, in the file's order.

    A runtime throws all others away, so they show nothing about what it computes.
    """
    makers = {name: at for at, node in enumerate(graph.node) for name in node.output if name}
    waiting = [value.name for value in graph.output[:1]]
    found: set[int] = set()
    while waiting:
        at = makers.get(waiting.pop())
        if at is None or at in found:
            continue
        found.add(at)
        node = graph.node[at]
        waiting.extend(name for each in (node, *nodes_inside(node)) for name in each.input)
    return [graph.node[at] for at in sorted(found)]


def stored(graph: Any) -> dict[str, Any]:
    """The tensors that stand in the file, by the name that nodes know them by."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type != "Constant" or len(node.output) != 1:
            continue
        for attribute in node.attribute:
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
    return tensors


def origin(graph: Any, name: str, through: tuple[str, ...]) -> str:
    """The tensor that a name stands for, when these operators hand it on."""
    makers = {made: node for node in graph.node for made in node.output}
    for _ in range(len(graph.node)):
        node = makers.get(name)
        if node is None or node.op_type not in through or not node.input:
            break
        name = node.input[0]
    return name
