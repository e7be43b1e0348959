"""Report what a candidate's imported or lowered module contains. Runs nothing."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import bare_tvm  # noqa: F401
import relax_language
import tvm
import vetting
from tvm import relax


def described(path: str) -> dict[str, Any]:
    """Return the module's functions and details of "main"; {"refused": why} if it is refused.

    Without details if there is no "main" or the module is ill-formed.
    """
    try:
        module = relax_language.read(path)
    except vetting.Refused as refusal:
        return {"refused": str(refusal)}
    named = {variable.name_hint: function for variable, function in module.functions.items()}
    relax_functions = [n for n, f in named.items() if isinstance(f, relax.Function)]
    reported: dict[str, Any] = {"functions": relax_functions, "ill_formed": _ill_formed(module)}
    if "main" not in relax_functions or reported["ill_formed"]:
        return reported
    main = named["main"]
    return {
        **reported,
        "inputs": [_tensor(parameter.ty) for parameter in main.params],
        "output": _tensor(main.ret_ty),
        "attributes": sorted(main.attrs.keys()) if main.attrs else [],
        "revision": str(main.attrs["revision"]) if _has(main, "revision") else None,
        "num_input": int(main.attrs["num_input"]) if _has(main, "num_input") else None,
        **facts(module),
    }


def facts(module: tvm.IRModule) -> dict[str, Any]:
    """Return the facts about a module's "main" that the task asks for."""
    main = module["main"]
    operators: Counter[str] = Counter()
    callees: Counter[str] = Counter()
    inside: list[int] = []

    def visit(node: Any) -> None:
        if isinstance(node, tvm.ir.GenericConst):
            inside.append(prod(node.value.shape))
        if not isinstance(node, tvm.ir.Call) or not isinstance(node.op, tvm.ir.Op):
            return
        operators[node.op.name] += 1
        if node.op.name == "relax.call_tir":
            callees[node.args[0].name_hint] += 1

    relax.analysis.post_order_visit(main, visit)
    shapes = [_tensor(parameter.ty)[1:] for parameter in main.params]
    return {
        "operators": dict(operators),
        "inside": sum(inside),
        "asked": sum(prod(shape) for shape in shapes if all(isinstance(n, int) for n in shape)),
        "shared": sum(count > 1 for count in callees.values()),
    }


def _ill_formed(module: tvm.IRModule) -> str:
    """Return what Relax finds wrong with the module; empty if it is well-formed."""
    try:
        relax.analysis.well_formed(module)
    except Exception as error:  # noqa: BLE001 - TVM raises what it likes
        return str(error).strip().splitlines()[-1][:200] or type(error).__name__
    return ""


def _has(function: relax.Function, attribute: str) -> bool:
    return bool(function.attrs) and attribute in function.attrs


def _tensor(ty: Any) -> list[Any]:
    """Return a tensor's dtype and extents, symbolic ones by name: ["float32", "s77", 5]."""
    shape = getattr(ty, "shape", None)
    if not isinstance(ty, relax.TensorType) or shape is None or not hasattr(shape, "values"):
        return [str(ty)[:60]]
    extents = [int(n) if isinstance(n, tvm.tirx.IntImm) else str(n) for n in shape.values]
    return [str(ty.dtype), *extents]
