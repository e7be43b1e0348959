"""Models of several layers with the hotloop.lab function; attributes differ from node to node."""

from __future__ import annotations

import base64
import io
from typing import Any

import lab_function
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HEADS, DEPTH = 2, 16
OWN = ("", "ai.onnx")


def made(seed: int) -> dict[str, Any]:
    """Return the model in base64, and its custom nodes in order.

    Every combination of block (8 or 16) and causal occurs once.
    """
    rng = np.random.default_rng(seed)
    nodes, stored, reported = (
        list[onnx.NodeProto](),
        list[onnx.TensorProto](),
        list[dict[str, Any]](),
    )
    x = "x"
    kinds = [(block, causal) for block in (8, 16) for causal in (0, 1)]
    for number, place in enumerate(rng.permutation(len(kinds))):
        block, causal = kinds[int(place)]
        weights = rng.standard_normal((3, DEPTH, DEPTH)).astype(np.float32) / 4
        names = []
        for part in range(3):
            stored.append(numpy_helper.from_array(weights[part], f"w{number}_{part}"))
            names.append(f"p{number}_{part}")
            nodes.append(helper.make_node("MatMul", [x, f"w{number}_{part}"], [names[part]]))
        limit = np.full(HEADS, -0.2, np.float32)
        stored.append(numpy_helper.from_array(limit, f"limit{number}"))
        nodes.append(
            helper.make_node(
                lab_function.NAME,
                [*names, f"limit{number}"],
                [f"a{number}"],
                name=f"attention_{number}",
                domain=lab_function.DOMAIN,
                block=block,
                causal=causal,
            )
        )
        if number < len(kinds) - 1:
            nodes.append(helper.make_node("Add", [x, f"a{number}"], [f"x{number}"]))
            x = f"x{number}"
        else:
            x = f"a{number}"  # the last node is a custom one
        reported.append({"block": block, "causal": bool(causal)})
    shape = ["batch", HEADS, "length", DEPTH]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in ("x", x)]
    graph = helper.make_graph(nodes, "layers", ends[:1], ends[1:], stored)
    model = helper.make_model(
        graph,
        functions=[lab_function.function()],
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(lab_function.DOMAIN, 1)],
        ir_version=9,
    )
    return {"model": base64.b64encode(model.SerializeToString()).decode(), "nodes": reported}


def bare(seed: int) -> dict[str, Any]:
    """Return a model without function bodies, and inputs for it, both in base64."""
    model = onnx.load_from_string(base64.b64decode(made(seed)["model"]))
    del model.functions[:]
    rng = np.random.default_rng(seed + 1)
    length = int(rng.integers(17, 80))
    x = rng.standard_normal((int(rng.integers(1, 4)), HEADS, length, DEPTH)).astype(np.float32)
    file = io.BytesIO()
    np.savez(file, x=x)
    data = (model.SerializeToString(), file.getvalue())
    return dict(zip(("model", "feeds"), (base64.b64encode(d).decode() for d in data), strict=True))


def far(given: str, feeds: str, answer: str, times: int = 1) -> float:
    """Return the largest error of the answer's output against `times` times the function's.

    given, feeds, answer: paths of the model, its inputs (.npz) and its outputs (.npz). Returns inf
    if not finite. Raises ValueError for a wrong number or shape of outputs.
    """
    with np.load(feeds) as inputs, np.load(answer) as outputs:
        if len(outputs.files) != 1:
            raise ValueError(f"there are the outputs {outputs.files}, and one is asked for")
        want, got = _run(given, inputs["x"]), outputs[outputs.files[0]]
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
        "checker": _checker(model),
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


def apart(given: str, answer: str, seed: int) -> float:
    """Return the largest difference of two models' outputs, with the function as the node's body.

    given, answer: paths. Returns inf if shapes differ or values are not finite.
    """
    rng = np.random.default_rng(seed)
    worst = 0.0
    for batch, length in ((1, 40), (2, 13)):
        x = rng.standard_normal((batch, HEADS, length, DEPTH)).astype(np.float32)
        one, other = (_run(path, x) for path in (given, answer))
        if one.shape != other.shape:
            return float("inf")
        worst = max(worst, float(np.abs(one - other).max()))
    return worst if np.isfinite(worst) else float("inf")


def _run(path: str, x: np.ndarray) -> np.ndarray:
    model = lab_function.given_to(onnx.load(path))
    if all(o.domain != lab_function.DOMAIN for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid(lab_function.DOMAIN, lab_function.VERSION))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})[0]


def _checker(model: onnx.ModelProto) -> str | None:
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return " ".join(str(error).split())[:200]
    return None
