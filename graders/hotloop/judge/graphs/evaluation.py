"""Values of a graph's nodes, computed one after the other, and how two graphs' outputs differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.graphs.graph import Graph, Invalid, Node

V = TypeVar("V")
T = TypeVar("T")


def values(
    graph: Graph[T],
    inputs: Mapping[str, V],
    compute: Callable[[Node, Sequence[V | None]], Sequence[V]],
) -> dict[str, V]:
    """Return all values by name. compute: returns a node's results for its inputs.

    Raises Invalid where `compute` raises ValueError, as numpy does if shapes do not fit.
    """
    known = dict(inputs)
    for node in graph.nodes:
        arguments = [None if name is None else known[name] for name in node.inputs]
        try:
            results = compute(node, arguments)
        except ValueError:
            raise Invalid(f"the shapes of node {node.name[:40]!r} do not fit") from None
        known |= dict(zip(node.results, results, strict=True))
    return known


def difference(
    graph: Graph[T], got: Mapping[str, Floats], want: Mapping[str, Floats], tolerance: Tolerance
) -> str | None:
    """Return the beginning of a sentence about the first output that differs, or None."""
    for name in graph.outputs:
        if got[name].shape != want[name].shape:
            return f"the output {name!r} has another shape"
        disagreement = compare(got[name], want[name], tolerance)
        if disagreement is not None:
            return f"the output {name!r} is another one: {disagreement.sentence()}"
    return None


def gelu(x: Floats, approximate: str) -> Floats:
    """Return gelu by tanh if `approximate` is "tanh", else by the error function."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    errors = np.vectorize(math.erf, otypes=[np.float64])
    return 0.5 * x * (1 + errors(x / math.sqrt(2)))


def layer_norm(x: Floats, weight: Floats, shift: Floats, eps: float) -> Floats:
    """Layer norm over the last axis. Raises ValueError for a weight or shift of another shape."""
    if weight.shape != x.shape[-1:] or shift.shape != x.shape[-1:]:
        raise ValueError("a norm's weight and shift are vectors of its width")
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + eps) * weight + shift


OPERATORS: Mapping[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "add": np.add,
    "mul": np.multiply,
    "relu": partial(np.maximum, 0.0),
    "gelu": gelu,
    "layer_norm": layer_norm,
}
"""Functions of float64 arrays and the node's attributes."""
