"""Models of several layers with the hotloop.lab function; attributes differ from node to node."""

from __future__ import annotations

import base64
import io
from typing import Any

import lab_function
import numpy as np
import onnx
from onnx import helper
from onnx_builder import Builder
from onnx_facts import OWN, refusal
from onnx_rewrites import packed
from ort_session import opened

HEADS, DEPTH = 2, 16


def made(seed: int) -> dict[str, Any]:
    """Return the model in base64, and its custom nodes in order."""
    model, nodes = _layers(np.random.default_rng(seed))
    model.functions.append(lab_function.function())
    return {"model": packed(model), "nodes": nodes}


def bare(seed: int) -> dict[str, Any]:
    """Return a model without function bodies, and inputs for it, both in base64."""
    rng = np.random.default_rng(seed)
    model, _ = _layers(rng)
    length = int(rng.integers(17, 80))
    x = rng.standard_normal((int(rng.integers(1, 4)), HEADS, length, DEPTH)).astype(np.float32)
    file = io.BytesIO()
    np.savez(file, x=x)
    return {"model": packed(model), "feeds": base64.b64encode(file.getvalue()).decode()}


def _layers(rng: np.random.Generator) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """Return a model and its custom nodes: every combination of block (8, 16) and causal once."""
    net, shape = Builder(rng, lab_function.OPSET), ["batch", HEADS, "length", DEPTH]
    x = out = net.input("x", shape)
    kinds = [(block, causal) for block in (8, 16) for causal in (0, 1)]
    nodes: list[dict[str, Any]] = []
    for place in rng.permutation(len(kinds)):
        block, causal = kinds[int(place)]
        x = net.node("Add", [x, out]) if nodes else x
        weights = rng.standard_normal((3, DEPTH, DEPTH)) / 4
        inputs = [net.node("MatMul", [x, net.weight(part)]) for part in weights]
        inputs.append(net.weight(np.full(HEADS, -0.2), "limit"))
        kind = {"domain": lab_function.DOMAIN, "block": block, "causal": causal}
        out = net.node(lab_function.NAME, inputs, shape=shape, **kind)
        nodes.append({"block": block, "causal": bool(causal)})
    net.outputs.append(out)  # the last node is a custom one
    return net.model(domain=lab_function.DOMAIN, check=False), nodes


def far(model: str, feeds: str, answer: str, times: int = 1) -> float:
    """Return the largest error of the answer's output against `times` times the function's.

    model, feeds, answer: paths of the model, its inputs (.npz) and its outputs (.npz). Returns inf
    if not finite. Raises ValueError for a wrong number or shape of outputs.
    """
    with np.load(feeds) as inputs, np.load(answer) as outputs:
        if len(outputs.files) != 1:
            raise ValueError(f"there are the outputs {outputs.files}, and one is asked for")
        want, got = _run(model, inputs["x"]), outputs[outputs.files[0]]
    if want.shape != got.shape:
        raise ValueError(f"the output has the shape {got.shape}, and not {want.shape}")
    worst = float(np.abs(want - got / times).max())
    return worst if np.isfinite(worst) else float("inf")


def read(path: str) -> dict[str, Any]:
    """Return the custom nodes in order, and everything else that is not standard ONNX."""
    model = onnx.load(path)
    ours = [n for n in model.graph.node if n.domain == lab_function.DOMAIN]
    attributes = [{a.name: a.i for a in node.attribute} for node in ours]
    return {
        "checker": refusal(model),
        "functions": len(model.functions),
        "foreign": sorted(
            {
                f"{n.domain}::{n.op_type}"
                for n in model.graph.node
                if n.domain not in OWN
                and (n.domain, n.op_type) != (lab_function.DOMAIN, lab_function.NAME)
            }
        ),
        "nodes": [{"block": a.get("block"), "causal": bool(a.get("causal"))} for a in attributes],
        "imported": any(o.domain == lab_function.DOMAIN for o in model.opset_import),
    }


def apart(model: str, answer: str, seed: int) -> float:
    """Return the largest difference of two models' outputs, with the function as the node's body.

    model, answer: paths. Returns inf if shapes differ or values are not finite.
    """
    rng = np.random.default_rng(seed)
    worst = 0.0
    for batch, length in ((1, 40), (2, 13)):
        x = rng.standard_normal((batch, HEADS, length, DEPTH)).astype(np.float32)
        one, other = (_run(path, x) for path in (model, answer))
        if one.shape != other.shape:
            return float("inf")
        worst = max(worst, float(np.abs(one - other).max()))
    return worst if np.isfinite(worst) else float("inf")


def _run(path: str, x: np.ndarray) -> np.ndarray:
    model = lab_function.given_to(onnx.load(path))
    if all(o.domain != lab_function.DOMAIN for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid(lab_function.DOMAIN, lab_function.VERSION))
    return opened(model.SerializeToString(), {}).run(None, {"x": x})[0]
