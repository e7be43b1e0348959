"""Run Relax functions of elementwise operators directly from the JSON, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from graph_values import Graph, Unrunnable, tensor

MOST_ELEMENTS = 1 << 16

OPERATORS: dict[str, Callable[..., np.ndarray]] = {
    "relax.add": np.add,
    "relax.subtract": np.subtract,
    "relax.multiply": np.multiply,
    "relax.maximum": np.maximum,
    "relax.minimum": np.minimum,
    "relax.negative": np.negative,
    # Rounds after the product, as R.ewise_fma does after LegalizeOps.
    "relax.ewise_fma": lambda a, b, c: np.add(np.multiply(a, b), c),
}


class Machine:
    """Runs the functions of a graph. Raises Unrunnable for what it does not support."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def run(self, function: int, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Call a function; return its output tensors as float64, those of tuples in order."""
        data = self.graph.data(function)
        parameters = self.graph.items(data["params"])
        frame: dict[int, Any] = dict(zip(parameters, arguments, strict=True))
        result = self._value(data["body"], frame)
        return [np.asarray(part, np.float64) for part in _flat(result)]

    def _value(self, index: int, frame: dict[int, Any]) -> Any:
        graph, kind = self.graph, self.graph.kind(index)
        data = graph.data(index)
        if index in frame:
            return frame[index]
        if kind == "relax.expr.SeqExpr":
            for block in graph.items(data["blocks"]):
                self._block(block, frame)
            return self._value(data["body"], frame)
        if kind == "ir.GenericConst":
            return tensor(graph.data(data["value"]))
        if kind == "ir.Tuple":
            return tuple(self._value(part, frame) for part in graph.items(data["fields"]))
        if kind == "ir.Call":
            return self._call(data, frame)
        raise Unrunnable(f"{kind} is not an expression that is run here")

    def _block(self, index: int, frame: dict[int, Any]) -> None:
        for binding in self.graph.items(self.graph.data(index)["bindings"]):
            if self.graph.kind(binding) != "relax.expr.VarBinding":
                raise Unrunnable(f"{self.graph.kind(binding)} is not a binding that is run here")
            data = self.graph.data(binding)
            frame[data["var"]] = self._value(data["value"], frame)

    def _call(self, data: Any, frame: dict[int, Any]) -> np.ndarray:
        operator = OPERATORS.get(str(self.graph.data(data["op"])))
        if operator is None:
            raise Unrunnable(f"it calls {self.graph.data(data['op'])!r}")
        operands = [self._value(part, frame) for part in self.graph.items(data["args"])]
        with np.errstate(all="ignore"):
            result = operator(*operands)
        if result.size > MOST_ELEMENTS:
            raise Unrunnable("a tensor is far larger than any of the original's")
        return result


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, tuple):
        return [value]
    return [leaf for part in value for leaf in _flat(part)]
