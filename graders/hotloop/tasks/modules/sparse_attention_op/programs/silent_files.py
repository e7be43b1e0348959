"""Exports that are right on their example and wrong elsewhere, with one hidden fault each."""

from __future__ import annotations

import lab_function
import numpy as np
import onnx
from onnx import inliner, parser
from onnx_builder import Builder
from onnx_rewrites import packed

INPUTS = ("q", "k", "v", "threshold")
AGREES = "agrees"
FAULTS = ("frozen", "threshold", "keys", "padding", "causal", "average")

_EDITS = {
    "frozen": (
        ("chosen = GreaterOrEqual (gate, least)", "chosen = Identity (least)"),
        ("least = Unsqueeze (threshold, axes12)", "least = Identity (threshold)"),
    ),
    "keys": (
        ("k_padded = Pad (k,", "k_padded = Pad (q,"),
        ("perm: ints = [0, 1, 3, 2]> (k)", "perm: ints = [0, 1, 3, 2]> (q)"),
    ),
    "padding": (
        ("own = Min (size, left)", "own = Max (size, left)"),
        ("left = Sub (n, begins)", "left = Sub (size, begins)"),
    ),
    "causal": (
        (
            "earlier = GreaterOrEqual (upright, token)",
            "up_home = Div (upright, size)\n    earlier = GreaterOrEqual (up_home, home)",
        ),
    ),
    "average": (
        (
            "flags = CastLike (allowed, q)",
            (
                "taken = Equal (scores, highest)\n    open = Or (allowed, taken)\n"
                "    flags = CastLike (open, q)"
            ),
        ),
    ),
}


def made(
    seed: int, fault: str, heads: int, depth: int, length: int, block: int, causal: int
) -> str:
    """Return the file in base64."""
    rng = np.random.default_rng(seed)
    blocks = -(-length // block)
    body, net = lab_function.BODY, Builder(rng, lab_function.OPSET)
    for old, new in _EDITS.get(fault, ()):
        if old not in body:
            raise ValueError(f"our own body has no {old!r}")
        body = body.replace(old, new)
    shape = [1, heads, length, depth]
    inputs = [net.input(name, shape) for name in INPUTS[:3]]
    inputs.append(net.input(INPUTS[3], [heads]))
    if fault == "frozen":
        # As if a trace had frozen the example's choice of kept blocks.
        kept = rng.random((1, heads, blocks, blocks)) < 0.5
        kept[..., 0, 0] = True
        inputs[3] = net.weight(kept)
    if fault == "threshold":
        inputs[3] = net.weight(np.full(heads, 0.5))
    kind = {"domain": lab_function.DOMAIN, "block": block, "causal": causal}
    net.outputs.append(net.node(lab_function.NAME, inputs, shape=shape, **kind))
    model = net.model(10, lab_function.DOMAIN, check=False)
    model.functions.append(parser.parse_function(body))
    return packed(_renamed(inliner.inline_local_functions(model), rng))


def _renamed(model: onnx.ModelProto, rng: np.random.Generator) -> onnx.ModelProto:
    """Replace all names except those of inputs and outputs by meaningless ones."""
    (end,) = model.graph.output
    names = {name: name for name in ("", *INPUTS)} | {end.name: "out"}
    end.name = "out"

    def new(name: str) -> str:
        return names.setdefault(name, f"t{len(names)}_{int(rng.integers(1 << 20)):05x}")

    for tensor in model.graph.initializer:
        tensor.name = new(tensor.name)
    for node in model.graph.node:
        node.name = ""
        node.input[:] = [new(name) for name in node.input]
        node.output[:] = [new(name) for name in node.output]
    del model.graph.value_info[:]
    return model
