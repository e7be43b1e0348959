"""Checks for every rewritten model: it is valid, with the same inputs, outputs and versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import onnx

LONGEST = 200


def unsound(source: onnx.ModelProto, made: onnx.ModelProto) -> Iterator[str]:
    """Yield message fragments about what is wrong."""
    if any(tensor.external_data for tensor in made.graph.initializer):
        yield "weights lie outside of the file"
    for end in ("input", "output"):
        before, now = getattr(source.graph, end), getattr(made.graph, end)
        names, found = [v.name for v in before], [v.name for v in now]
        if names != found:
            yield f"the graph's {end}s are {_listed(found)} and should be {_listed(names)}"
        yield from (
            f"{end} {old.name!r} has another type or shape"
            for old, new in zip(before, now, strict=False)
            if old.type != new.type
        )
    if list(made.opset_import) != list(source.opset_import):
        yield "the model's opset should have stayed as it was"
    if made.ir_version != source.ir_version:
        yield "the model's IR version should have stayed as it was"
    if made.functions or any(node.domain for node in made.graph.node):
        yield "there are nodes that are not ONNX's own"
    try:
        onnx.checker.check_model(made, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        yield f"onnx.checker does not accept the model: {_without_kinds(str(error))}"


def _without_kinds(said: str) -> str:
    """Strip the checker's nested error kinds from its message, and shorten it."""
    plain = re.sub(r"\[\w+Error\] |Inference error\(s\): ", "", " ".join(said.split()))
    return plain.rstrip(".") if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"


def _listed(names: list[str]) -> str:
    return ", ".join(names)[:100]
