"""Report a partitioned module as plain data. Nothing of it is compiled or run.

Calls of functions are written out, so the report is one graph of operators, in the form of the
judge's `Graph`, and the regions and composite functions in which its operators lie. A module that
cannot be reported this way is refused.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import tvm
from tvm import relax

MOST_BYTES = 4 << 20
MOST_OPERATORS = 1000


class Refused(ValueError):
    """The module contains something that no partition needs.

    The message is a fragment of a sentence.
    """


def described(path: str) -> dict[str, Any]:
    """Return {"graph": {...}, "regions": [...]}, or {"refused": why}."""
    try:
        return _Report(_module(path)).described()
    except Refused as refusal:
        return {"refused": str(refusal)}


def _module(path: str) -> tvm.IRModule:
    text = Path(path).read_text()
    if len(text) > MOST_BYTES:
        raise Refused("the file has more than 4 MiB")
    try:
        module = tvm.ir.load_json(text)
    except Exception:  # noqa: BLE001 - TVM raises what it likes
        raise Refused("the file is no module as tvm.ir.save_json writes it") from None
    if not isinstance(module, tvm.IRModule):
        raise Refused("the file holds no IRModule")
    try:
        relax.analysis.well_formed(module)
    except Exception as error:  # noqa: BLE001
        reason = str(error).strip().splitlines()[-1][:160]
        raise Refused(f"Relax finds it ill-formed: {reason}") from None
    return module


class _Report:
    """The report of a module. Values have numbers: first the inputs, then operators' outputs."""

    def __init__(self, module: tvm.IRModule) -> None:
        self.functions: dict[Any, tuple[str, relax.Function]] = {}
        for variable, function in module.functions.items():
            if not isinstance(function, relax.Function):
                raise Refused(f"{variable.name_hint!r} is no Relax function")
            self.functions[variable] = variable.name_hint, function
        self.shapes: list[list[int]] = []
        self.operators: list[list[Any]] = []
        self.regions: list[dict[str, Any]] = []

    def described(self) -> dict[str, Any]:
        """Return the graph of "main", and its regions."""
        mains = [function for name, function in self.functions.values() if name == "main"]
        if not mains:
            raise Refused("the module has no function 'main'")
        inputs = [_shape(parameter.ty) for parameter in mains[0].params]
        self.shapes += inputs
        outputs = self.outputs_of(mains[0], [[n] for n in range(len(inputs))], [])
        graph = {"inputs": inputs, "operators": self.operators, "outputs": outputs}
        return {"graph": graph, "regions": self.regions}

    def outputs_of(self, function: relax.Function, arguments: list[list[int]], around: Any) -> Any:
        """Add what a call of a function does; return the numbers of its outputs.

        arguments: the values of each. around: the region, and the unit, that the call lies in.
        """
        values: dict[Any, list[int]] = {}
        for parameter, argument in zip(function.params, arguments, strict=True):
            values[parameter] = self.of_type(parameter, argument)
        for block in function.body.blocks:
            for binding in block.bindings:
                if not isinstance(binding, relax.VarBinding):
                    raise Refused("it binds with a match_cast")
                if isinstance(binding.value, relax.Function):
                    self.functions[binding.var] = str(binding.var.name), binding.value
                    continue
                bound = self.values_of(binding, values, around)
                values[binding.var] = self.of_type(binding.var, bound)
        return _numbers(function.body.body, values)

    def values_of(self, binding: Any, values: dict[Any, list[int]], around: Any) -> list[int]:
        """Return the numbers of what a binding computes, or gives another name."""
        call = binding.value
        if not isinstance(call, tvm.ir.Call):
            return _numbers(call, values)
        tensors = [a for a in call.args if not isinstance(a, relax.ShapeExpr)]
        arguments = [_numbers(tensor, values) for tensor in tensors]
        if not isinstance(call.op, tvm.ir.Op):
            return self.outputs_of_callee(call.op, arguments, around)
        if len(self.operators) >= MOST_OPERATORS:
            raise Refused(f"it has more than {MOST_OPERATORS} operators")
        kind = str(call.op.name).removeprefix("relax.").removeprefix("nn.")
        shape = _shape(binding.var.ty)
        self.operators.append([kind, list(chain(*arguments)), shape, _axes(call)])
        self.shapes.append(shape)
        output = len(self.shapes) - 1
        if around:
            around[-1]["members"].append(output)
        return [output]

    def outputs_of_callee(self, callee: Any, arguments: list[list[int]], around: Any) -> list[int]:
        """Add a region that "main" calls, or a unit that a region calls."""
        if callee not in self.functions:
            raise Refused("it calls what is no function of the module")
        name, function = self.functions[callee]
        if len(around) > 1:
            raise Refused(f"a function that a region calls calls {name!r}")
        inner: dict[str, Any] = {
            "name": name,
            "attributes": {str(key): str(value) for key, value in (function.attrs or {}).items()},
            "inputs": list(chain(*arguments)),
            "members": [],
        }
        if around:
            around[0]["units"].append(inner)
        else:
            self.regions.append({**inner, "units": []})
            inner = self.regions[-1]
        inner["outputs"] = self.outputs_of(function, arguments, [*around, inner])
        return inner["outputs"]

    def of_type(self, variable: Any, numbers: list[int]) -> list[int]:
        """Return the values of a variable. Raises Refused if its type has other shapes."""
        ty = variable.ty
        parts = list(ty.fields) if isinstance(ty, tvm.ir.TupleType) else [ty]
        shapes, actual = [_shape(part) for part in parts], [self.shapes[n] for n in numbers]
        if shapes != actual:
            raise Refused(f"it says that a value of shape {actual} is {shapes}")
        return numbers


def _numbers(expression: Any, values: dict[Any, list[int]]) -> list[int]:
    """Return the numbers of an expression's values: one, or one for each part of a tuple."""
    if isinstance(expression, tvm.ir.Tuple):
        return [number for part in expression.fields for number in _numbers(part, values)]
    if isinstance(expression, tvm.ir.TupleGetItem):
        return [_numbers(expression.tuple_value, values)[expression.index]]
    if expression in values:
        return values[expression]
    raise Refused(f"it holds {type(expression).__name__}, which no graph here has")


def _axes(call: Any) -> list[int]:
    """Return the axes in an operator's attributes, or an empty list."""
    if (axes := getattr(call.attrs, "axes", None)) is not None:
        return [int(axis) for axis in axes]
    return [int(call.attrs.axis)] if hasattr(call.attrs, "axis") else []


def _shape(ty: Any) -> list[int]:
    """Return the extents of a float32 tensor. Raises Refused for any other type."""
    if not isinstance(ty, relax.TensorType) or not hasattr(ty.shape, "values"):
        raise Refused(f"it has a value of type {str(ty)[:60]}")
    if not all(isinstance(n, tvm.tirx.IntImm) for n in ty.shape.values):
        raise Refused("it has a symbolic shape")
    if str(ty.dtype) != "float32":
        raise Refused(f"a value is no longer float32, but {ty.dtype}")
    return [int(n) for n in ty.shape.values]
