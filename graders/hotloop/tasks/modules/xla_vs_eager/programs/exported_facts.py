"""Facts about an exported program, which is read as text and as operations and never run.

It gets candidates' files. A program may contain only StableHLO and no external calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jax import export
from jaxlib.mlir import ir

HOST = ("callback", "infeed", "outfeed", "send", "recv")
DIALECTS = ("stablehlo", "func", "builtin", "chlo")
_SCOPED = re.compile(r'"([^"]*)"')


def facts(path: str) -> dict[str, Any]:
    """Return all that the checks need to know about a program.

    "host": operations that leave the device. "foreign": operations outside StableHLO. "arguments":
    as `float32[8,10]`. "aliased": for an argument's number, the number of the result
    that reuses its memory. "scopes": the kind and named scopes of each convolution and matrix
    product. "returned": the named scopes of each result.
    """
    from jax._src.interpreters import mlir

    program = export.deserialize(bytearray(Path(path).read_bytes()))
    with mlir.make_ir_context():
        module = ir.Module.parse(program.mlir_module())
        operations = list(_operations(module.operation))
        return {
            "host": sorted({name for name in map(_host, operations) if name}),
            "foreign": sorted(
                {str(op.name) for op in operations if op.name.split(".")[0] not in DIALECTS}
            ),
            "arguments": [
                f"{aval.dtype}[{','.join(map(str, aval.shape))}]" for aval in program.in_avals
            ],
            "aliased": _aliased(module),
            "scopes": [
                [kind, _names(op)]
                for op in operations
                if (kind := op.name.removeprefix("stablehlo.")) in {"convolution", "dot_general"}
            ],
            "returned": _returned(module),
        }


def _operations(operation: Any) -> Iterator[Any]:
    yield operation
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _operations(inner.operation)


def _host(operation: Any) -> str:
    """Return the name of the operation or call target if it leaves the device, else ""."""
    name = operation.name.removeprefix("stablehlo.")
    if name == "custom_call":
        return str(ir.StringAttr(operation.attributes["call_target_name"]).value)
    return name if name in HOST else ""


def _main(module: ir.Module) -> Any:
    (main,) = [
        op.operation
        for op in module.body.operations
        if "sym_name" in op.operation.attributes
        and ir.StringAttr(op.operation.attributes["sym_name"]).value == "main"
    ]
    return main


def _aliased(module: ir.Module) -> dict[str, int]:
    attributes = _main(module).attributes
    if "arg_attrs" not in attributes:
        return {}
    aliased: dict[str, int] = {}
    for number, each in enumerate(ir.ArrayAttr(attributes["arg_attrs"])):
        attribute = ir.DictAttr(each)
        if "tf.aliasing_output" in attribute:
            aliased[str(number)] = ir.IntegerAttr(attribute["tf.aliasing_output"]).value
    return aliased


def _returned(module: ir.Module) -> list[str]:
    """Return the scopes of the operation behind each result; "" for a plain argument."""
    block = _main(module).regions[0].blocks[0]
    operations = list(block.operations)
    return [
        _names(value.owner) if not isinstance(value.owner, ir.Block) else ""
        for value in operations[-1].operands
    ]


def _names(operation: Any) -> str:
    """Return the scopes in an operation's location, as jax.named_scope wrote them."""
    match = _SCOPED.search(str(operation.location))
    return match[1] if match else ""
