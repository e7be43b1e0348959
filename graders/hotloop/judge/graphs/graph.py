"""A graph of operators: each node's inputs are names of graph inputs or of other nodes' results."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")

Shape = tuple[int, ...]


class Invalid(Exception):
    """The graph is invalid; the message is the start of a sentence."""


@dataclass(frozen=True)
class Node:
    """One operator.

    name: also of its result. inputs: names of values; None for an absent optional input.
    also: names of further results.
    """

    name: str
    op: str
    inputs: tuple[str | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    also: tuple[str, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the inputs that are there."""
        return tuple(name for name in self.inputs if name is not None)

    @property
    def results(self) -> tuple[str, ...]:
        """Names of all results."""
        return (self.name, *self.also)


@dataclass(frozen=True)
class Graph(Generic[T]):
    """A graph.

    nodes: in an order in which they can run. types: what is known of each value before the graph
    runs, by its name, such as its shape; at least of the inputs, if anything is.
    """

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    types: Mapping[str, T] = field(default_factory=dict[str, T])

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """The nodes by their names."""
        return {node.name: node for node in self.nodes}

    def readers(self, value: str) -> set[str]:
        """Return the names of the nodes that read a value."""
        return {node.name for node in self.nodes if value in node.inputs}

    def input_types(self) -> dict[str, T]:
        """Return what is known of the inputs."""
        return {name: self.types[name] for name in self.inputs}


def require_order(graph: Graph[T]) -> None:
    """Raise Invalid unless names are unique, and each value is there before it is read."""
    known = set(graph.inputs)
    for node in graph.nodes:
        for name in node.reads:
            if name not in known:
                raise Invalid(f"node {node.name[:40]!r} uses {name[:40]!r} before it is there")
        for name in node.results:
            if name in known:
                raise Invalid(f"{name[:40]!r} is there twice")
            known.add(name)
    for name in graph.outputs:
        if name not in known:
            raise Invalid(f"the output {name[:40]!r} is not there")


def in_order(needs: Mapping[K, set[K]]) -> list[K] | None:
    """Return the keys in an order in which each follows what it needs; None in a circle."""
    order: list[K] = []
    while len(order) < len(needs):
        ready = [key for key in needs if key not in order and needs[key] <= set(order)]
        if not ready:
            return None
        order += ready
    return order


def expression(
    op: str, operands: Sequence[Any], commutative: Container[str], *others: object
) -> tuple[object, ...]:
    """Return a key that two operations share if they compute the same of the same values.

    operands: what stands for the values read; it must be sortable. commutative: operators whose
    operands may be swapped. others: attributes that count too.
    """
    return (op, *others, *(sorted(operands) if op in commutative else operands))


def partitions(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield every division of the names into groups."""
    if not names:
        yield []
        return
    first, *others = names
    for groups in partitions(others):
        yield [[first], *groups]
        for place, group in enumerate(groups):
            yield [*groups[:place], [first, *group], *groups[place + 1 :]]
