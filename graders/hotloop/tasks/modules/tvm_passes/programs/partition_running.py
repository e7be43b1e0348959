"""Run a partition: regions by the accelerator's rules in numpy, the host part with TVM.

The compiled module is built here from plain data, of known operators; all that remains of the
candidate's module is which region does what. A composite function computes what its name says.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import graph_building
import numpy as np
import tvm
from numpy.typing import NDArray
from tvm import relax

Floats = NDArray[np.float32]
Function = dict[str, Any]

_main: list[Any] = []
_shapes: list[list[int]] = []


def load(path: str) -> None:
    """Build and compile the functions that `partition_reading.described` reports, from JSON."""
    functions = json.loads(Path(path).read_text())["functions"]
    compiled = tvm.compile(_module(functions), target="llvm")
    _main[:] = [relax.VirtualMachine(compiled, tvm.cpu())["main"]]
    main = functions["main"]
    _shapes[:] = [main["types"][name][1:] for name in main["inputs"]]


def run(flat: Floats, out: Floats) -> None:
    """Run "main". flat: all inputs, float32, concatenated. out: all outputs, likewise."""
    inputs, start = [], 0
    for shape in _shapes:
        count = int(np.prod(shape))
        inputs.append(tvm.runtime.tensor(flat[start : start + count].reshape(shape)))
        start += count
    answer = _main[0](*inputs)
    parts = [answer] if hasattr(answer, "numpy") else list(answer)
    out[...] = np.concatenate([part.numpy().ravel() for part in parts])


def _module(functions: dict[str, Function]) -> tvm.IRModule:
    main = functions["main"]
    types = main["types"]
    inputs = [
        relax.Var(name, relax.TensorType(types[name][1:], "float32")) for name in main["inputs"]
    ]
    builder = relax.BlockBuilder()
    with builder.function("main", inputs):
        with builder.dataflow():
            values: dict[str, Any] = dict(zip(main["inputs"], inputs, strict=True))
            for step in main["steps"]:
                made = _step(builder, step, values, functions)
                values.update(zip(step["out"], made, strict=True))
            outputs = [builder.emit_output(values[name]) for name in main["outputs"]]
        builder.emit_func_output(outputs if len(outputs) > 1 else outputs[0])
    return builder.get()


def _step(
    builder: relax.BlockBuilder,
    step: dict[str, Any],
    values: dict[str, Any],
    functions: dict[str, Function],
) -> list[Any]:
    given, types = [values[name] for name in step["in"]], functions["main"]["types"]
    outs = [types[name][1:] for name in step["out"]]
    if not step["does"].startswith("@"):
        kind = step["does"].removeprefix("relax.").removeprefix("nn.")
        return [builder.emit(graph_building.operator(kind, given, outs[0], step["axes"]))]
    name = f"hotloop.mac16.{step['does'][1:]}"
    region = functions[step["does"][1:]]
    tvm.register_global_func(name, _on_accelerator(region, functions), override=True)
    of = [relax.TensorType(shape, "float32") for shape in outs]
    call = builder.emit(relax.call_dps_packed(name, given, of if len(of) > 1 else of[0]))
    if len(of) == 1:
        return [call]
    return [builder.emit(relax.TupleGetItem(call, n)) for n in range(len(of))]


def _on_accelerator(region: Function, functions: dict[str, Function]) -> Callable[..., None]:
    def launch(*tensors: Any) -> None:
        count = len(region["inputs"])
        values = {
            name: tensor.numpy()
            for name, tensor in zip(region["inputs"], tensors[:count], strict=True)
        }
        for step in region["steps"]:
            unit = functions[step["does"][1:]]
            values[step["out"][0]] = _unit(unit, [values[name] for name in step["in"]])
        for name, tensor in zip(region["outputs"], tensors[count:], strict=True):
            tensor.copyfrom(values[name])

    return launch


def _unit(unit: Function, given: list[Floats]) -> Floats:
    """Compute what the composite function's name says, of the operands in its body."""
    values = dict(zip(unit["inputs"], given, strict=True))
    does = unit["attributes"]["Composite"].removeprefix("mac16.").split("_")
    steps = iter(unit["steps"])
    first = next(steps)
    taken = [values[name] for name in first["in"]]
    if does[0] == "relu":
        return np.maximum(taken[0], np.float32(0))
    if does[0] == "add":
        return taken[0] + taken[1]
    result = taken[0] @ taken[1]
    if "bias" in does:
        bias = [name for name in next(steps)["in"] if name in values]
        result = result + values[bias[0]]
    return np.maximum(result, np.float32(0)) if "relu" in does else result
