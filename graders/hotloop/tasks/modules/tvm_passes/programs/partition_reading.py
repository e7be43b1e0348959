"""Report a partitioned module as plain data. Nothing of it is compiled or run.

A function is reported as its inputs, steps and outputs. A step applies an operator, "relax.matmul",
or calls another reported function, "@name". Values are named by number, "v3"; a tuple's parts are
"v3.0" and so on. A module that cannot be described this way is refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import tvm
from tvm import relax

MOST_FUNCTIONS = 200
MOST_BYTES = 4 << 20


class Refused(ValueError):
    """The module contains something that no partition needs.

    The message is a fragment of a sentence.
    """


def described(path: str) -> dict[str, Any]:
    """Return the module as plain data: {"functions": {...}}, or {"refused": why}."""
    try:
        return {"functions": _Telling(_module(path)).functions}
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


class _Telling:
    """Reports all functions of a module, including nested ones. Raises Refused."""

    def __init__(self, module: tvm.IRModule) -> None:
        self.functions: dict[str, dict[str, Any]] = {}
        for variable, function in module.functions.items():
            if not isinstance(function, relax.Function):
                raise Refused(f"{variable.name_hint!r} is no Relax function")
            self.tell(variable.name_hint, function)

    def tell(self, name: str, function: relax.Function) -> None:
        """Add a function under a unique name."""
        if len(self.functions) >= MOST_FUNCTIONS:
            raise Refused(f"it has more than {MOST_FUNCTIONS} functions")
        self.functions[name] = {}
        self.functions[name] = _Body(self, name, function).described()


class _Body:
    """Reports one function."""

    def __init__(self, telling: _Telling, name: str, function: relax.Function) -> None:
        self.telling = telling
        self.name = name
        self.function = function
        self.types: dict[str, list[Any]] = {}
        self.names: dict[Any, list[str]] = {}
        self.local: dict[Any, str] = {}
        self.steps: list[dict[str, Any]] = []
        self.count = 0

    def described(self) -> dict[str, Any]:
        """Return attributes, inputs, steps, outputs and the types of all values."""
        inputs = [name for parameter in self.function.params for name in self.new(parameter)]
        for block in self.function.body.blocks:
            for binding in block.bindings:
                self.bind(binding)
        return {
            "attributes": _attributes(self.function),
            "inputs": inputs,
            "steps": self.steps,
            "outputs": self.values(self.function.body.body),
            "types": self.types,
        }

    def new(self, variable: Any) -> list[str]:
        """Name what a variable holds: one value, or one for each part of a tuple."""
        name, ty = f"v{self.count}", variable.ty
        self.count += 1
        parts = list(ty.fields) if isinstance(ty, tvm.ir.TupleType) else None
        names = [name] if parts is None else [f"{name}.{n}" for n in range(len(parts))]
        for part, of in zip(names, [ty] if parts is None else parts, strict=True):
            self.types[part] = _tensor(of)
        self.names[variable] = names
        return names

    def bind(self, binding: Any) -> None:
        """Record a binding: a nested function, a call, or another name of known values."""
        if not isinstance(binding, relax.VarBinding):
            raise Refused("it binds with a match_cast")
        value = binding.value
        if isinstance(value, relax.Function):
            inner = f"{self.name}/{len(self.telling.functions)}"
            self.local[binding.var] = inner
            self.telling.tell(inner, value)
        elif isinstance(value, tvm.ir.Call):
            self.call(binding.var, value)
        else:
            self.names[binding.var] = self.values(value)

    def call(self, variable: Any, call: Any) -> None:
        """Add a step that calls an operator or a function."""
        given = [argument for argument in call.args if not isinstance(argument, relax.ShapeExpr)]
        taken = [name for argument in given for name in self.values(argument)]
        step = {"does": self.callee(call.op), "in": taken, "axes": _axes(call)}
        self.steps.append({**step, "out": self.new(variable)})

    def callee(self, op: Any) -> str:
        """Return what is called: an operator's name, or "@" and a function's."""
        if isinstance(op, tvm.ir.Op):
            return str(op.name)
        if isinstance(op, tvm.ir.GlobalVar):
            return f"@{op.name_hint}"
        if op in self.local:
            return f"@{self.local[op]}"
        raise Refused("it calls what is no function of the module")

    def values(self, expression: Any) -> list[str]:
        """Return the names of an expression's values."""
        if isinstance(expression, tvm.ir.Tuple):
            return [name for part in expression.fields for name in self.values(part)]
        if isinstance(expression, tvm.ir.TupleGetItem):
            return [self.values(expression.tuple_value)[expression.index]]
        if expression in self.names:
            return self.names[expression]
        raise Refused(f"it holds {type(expression).__name__}, which no graph here has")


def _attributes(function: relax.Function) -> dict[str, str]:
    if not function.attrs:
        return {}
    return {str(key): str(function.attrs[key]) for key in function.attrs.keys()}  # noqa: SIM118


def _axes(call: Any) -> list[int]:
    """Return the axes in an operator's attributes, or an empty list."""
    attributes = json.loads(tvm.ir.save_json(call.attrs)) if call.attrs is not None else {}
    if not attributes:
        return []
    if hasattr(call.attrs, "axes") and call.attrs.axes is not None:
        return [int(axis) for axis in call.attrs.axes]
    return [int(call.attrs.axis)] if hasattr(call.attrs, "axis") else []


def _tensor(ty: Any) -> list[Any]:
    """Return dtype and extents: ["float32", 8, 16].

    Raises Refused for other types, symbolic shapes.
    """
    if not isinstance(ty, relax.TensorType) or not hasattr(ty.shape, "values"):
        raise Refused(f"it has a value of type {str(ty)[:60]}")
    if not all(isinstance(n, tvm.tirx.IntImm) for n in ty.shape.values):
        raise Refused("it has a symbolic shape")
    return [str(ty.dtype), *(int(n) for n in ty.shape.values)]
