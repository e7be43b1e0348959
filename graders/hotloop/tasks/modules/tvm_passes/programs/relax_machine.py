"""Run Relax functions of elementwise operators in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
from tir_machine import MOST_ELEMENTS, Unrunnable
from tvm import ir, relax

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


def run(function: relax.Function, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Call a function; return its output tensors as float64, those of tuples in order.

    Raises Unrunnable for what it does not support.
    """
    frame: dict[Any, Any] = dict(zip(function.params, arguments, strict=True))
    for block in function.body.blocks:
        for binding in block.bindings:
            if not isinstance(binding, relax.VarBinding):
                raise Unrunnable(f"{type(binding).__name__} is not a binding that is run here")
            frame[binding.var] = _value(binding.value, frame)
    return [np.asarray(part, np.float64) for part in _flat(_value(function.body.body, frame))]


def _value(node: Any, frame: dict[Any, Any]) -> Any:
    if node in frame:
        return frame[node]
    if isinstance(node, ir.GenericConst):
        return node.value.numpy()
    if isinstance(node, ir.Tuple):
        return tuple(_value(part, frame) for part in node.fields)
    if isinstance(node, ir.Call):
        return _call(node, frame)
    raise Unrunnable(f"{type(node).__name__} is not an expression that is run here")


def _call(call: ir.Call, frame: dict[Any, Any]) -> np.ndarray:
    name = getattr(call.op, "name", "")
    if name not in OPERATORS:
        raise Unrunnable(f"it calls {name!r}")
    with np.errstate(all="ignore"):
        result = OPERATORS[name](*(_value(part, frame) for part in call.args))
    if result.size > MOST_ELEMENTS:
        raise Unrunnable("a tensor is far larger than any of the original's")
    return result


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, tuple):
        return [value]
    return [leaf for part in value for leaf in _flat(part)]
