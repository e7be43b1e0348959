"""Exports that are right on their example and wrong elsewhere, with one hidden fault each."""

from __future__ import annotations

import base64

import lab_function
import numpy as np
import onnx
from onnx import TensorProto, helper, inliner, numpy_helper, parser

INPUTS = ("q", "k", "v", "threshold")
AGREES = "agrees"
FAULTS = ("frozen", "threshold", "keys", "padding", "causal", "average")

_EDITS = {
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
    body, frozen = lab_function.BODY, list[onnx.TensorProto]()
    for old, new in _EDITS.get(fault, ()):
        if old not in body:
            raise ValueError(f"our own body has no {old!r}")
        body = body.replace(old, new)
    inputs = list(INPUTS)
    if fault == "frozen":
        # As if a trace had frozen the example's choice of kept blocks.
        kept = rng.random((1, heads, blocks, blocks)) < 0.5
        kept[..., 0, 0] = True
        body = body.replace("chosen = GreaterOrEqual (gate, least)", "chosen = Identity (least)")
        body = body.replace("least = Unsqueeze (threshold, axes12)", "least = Identity (threshold)")
        frozen.append(numpy_helper.from_array(kept, "c0"))
        inputs[3] = "c0"
    if fault == "threshold":
        frozen.append(numpy_helper.from_array(np.full(heads, 0.5, np.float32), "c0"))
        inputs[3] = "c0"
    node = helper.make_node(
        lab_function.NAME, inputs, ["out"], domain=lab_function.DOMAIN, block=block, causal=causal
    )
    shape = [1, heads, length, depth]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in (*INPUTS[:3], "out")
    ]
    limit = helper.make_tensor_value_info("threshold", TensorProto.FLOAT, [heads])
    graph = helper.make_graph([node], "traced", [*ends[:3], limit], ends[3:], frozen)
    model = helper.make_model(
        graph,
        functions=[parser.parse_function(body)],
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(lab_function.DOMAIN, 1)],
        ir_version=10,
    )
    flat = _renamed(inliner.inline_local_functions(model), rng)
    return base64.b64encode(flat.SerializeToString()).decode()


def _renamed(model: onnx.ModelProto, rng: np.random.Generator) -> onnx.ModelProto:
    """Replace all names except those of inputs and outputs by meaningless ones."""
    kept = {*INPUTS, "out"}
    names: dict[str, str] = {}

    def new(name: str) -> str:
        if not name or name in kept:
            return name
        if name not in names:
            names[name] = f"t{len(names)}_{int(rng.integers(1 << 20)):05x}"
        return names[name]

    for tensor in model.graph.initializer:
        tensor.name = new(tensor.name)
    for node in model.graph.node:
        node.name = ""
        node.input[:] = [new(name) for name in node.input]
        node.output[:] = [new(name) for name in node.output]
    del model.graph.value_info[:]
    return model
