"""Build Relax modules from the judge's graphs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import tvm
from tvm import relax

OPERATORS: dict[str, Callable[..., Any]] = {
    "matmul": relax.op.matmul,
    "add": relax.op.add,
    "multiply": relax.op.multiply,
    "relu": relax.op.nn.relu,
    "tanh": relax.op.tanh,
    "sigmoid": relax.op.sigmoid,
}
"""Those that have nothing but operands."""


def build(text: str) -> str:
    """Return the path of the module as JSON: "main" with one dataflow block, weights as inputs.

    text: a graph as `Graph.text` writes it.
    """
    request = json.loads(text)
    inputs = [
        relax.Var("x" if n == 0 else f"p{n}", relax.TensorType(shape, "float32"))
        for n, shape in enumerate(request["inputs"])
    ]
    builder = relax.BlockBuilder()
    with builder.function("main", inputs):
        with builder.dataflow():
            values: list[Any] = list(inputs)
            for kind, arguments, shape, axes in request["operators"]:
                operands = [values[n] for n in arguments]
                values.append(builder.emit(_call(kind, operands, shape, axes)))
            outputs = [builder.emit_output(values[n]) for n in request["outputs"]]
        builder.emit_func_output(outputs if len(outputs) > 1 else outputs[0])
    path = Path(tempfile.mkdtemp()) / "graph.json"
    path.write_text(tvm.ir.save_json(builder.get()))
    return str(path)


def _call(kind: str, operands: list[Any], shape: list[int], axes: list[int]) -> Any:
    if kind == "permute_dims":
        return relax.op.permute_dims(*operands, axes)
    if kind == "reshape":
        return relax.op.reshape(*operands, shape)
    if kind == "softmax":
        return relax.op.nn.softmax(*operands, *axes)
    return OPERATORS[kind](*operands)
