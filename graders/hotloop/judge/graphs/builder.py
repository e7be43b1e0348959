"""A random graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, TypeVar

from hotloop.judge.graphs.graph import Graph, Node

T = TypeVar("T")


@dataclass
class Builder(Generic[T]):
    """Adds inputs and nodes. prefix: begins the nodes' names, which end with their numbers.

    types: what is known of each value, in the order in which they were added.
    """

    prefix: str = "t"
    types: dict[str, T] = field(default_factory=dict[str, T])
    inputs: list[str] = field(default_factory=list[str])
    nodes: list[Node] = field(default_factory=list[Node])
    outputs: list[str] = field(default_factory=list[str])

    def input(self, name: str, type_: T) -> str:
        """Add an input and return its name."""
        self.inputs.append(name)
        self.types[name] = type_
        return name

    def node(self, op: str, *inputs: str, type_: T | None = None, **attributes: Any) -> str:
        """Add a node and return its name. type_: what is known of its result."""
        name = f"{self.prefix}{len(self.nodes)}"
        self.nodes.append(Node(name, op, inputs, attributes))
        if type_ is not None:
            self.types[name] = type_
        return name

    def recent(self, rng: Random, count: int) -> list[str]:
        """Return the `count` values that were added last, or sometimes all of them."""
        names = list(self.types)
        return names[-count:] if rng.random() < 0.7 else names

    def unread(self) -> list[str]:
        """Return the names of the nodes that no node reads."""
        read = {name for node in self.nodes for name in node.reads}
        return [node.name for node in self.nodes if node.name not in read]

    def graph(self, outputs: Sequence[str] = ()) -> Graph[T]:
        """Return the graph. outputs: by default those in `outputs`."""
        ends = tuple(outputs or self.outputs)
        return Graph(tuple(self.inputs), tuple(self.nodes), ends, self.types)
