"""An operator that no runtime has: a function in the file runs anywhere, a bare node nowhere."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.inliner
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
DOMAIN = "research.sparse"
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]


def banded(q: Array, k: Array, v: Array, window: int) -> Array:
    """Each position looks at those at most `window` away."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    index = np.arange(q.shape[-2])
    scores = np.where(np.abs(index[:, None] - index) <= window, scores, -np.inf)
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return (grown / grown.sum(-1, keepdims=True) @ v).astype(np.float32)


def body() -> onnx.FunctionProto:
    """The same, of operators that every runtime has; the band is an input."""
    made = helper.make_node
    nodes = [
        made("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        made("MatMul", ["q", "kt"], ["s"]),
        made("Mul", ["s", "scale"], ["t"]),
        made("Add", ["t", "band"], ["u"]),
        made("Softmax", ["u"], ["p"], axis=-1),
        made("MatMul", ["p", "v"], ["y"]),
    ]
    inputs = ["q", "k", "v", "scale", "band"]
    return helper.make_function(DOMAIN, "BandedAttention", inputs, ["y"], nodes, OPSETS[:1])


def model(functions: list[onnx.FunctionProto]) -> onnx.ModelProto:
    """One node of the domain; with its body in the file, or without."""
    names = ["q", "k", "v", "scale", "band"]
    shapes: list[list[int]] = [[1, 16, 8]] * 3 + [[], [16, 16]]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in zip(names, shapes, strict=True)
    ]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 16, 8])
    node = helper.make_node("BandedAttention", names, ["y"], domain=DOMAIN)
    graph = helper.make_graph([node], "g", ends, [out])
    return helper.make_model(graph, opset_imports=OPSETS, functions=functions, ir_version=8)


class BandedAttention(OpRun):
    """A kernel for the node: here in Python, elsewhere in C++ or CUDA."""

    op_domain = DOMAIN

    def _run(self, q: Array, k: Array, v: Array, scale: Array, band: Array) -> tuple[Array]:
        del scale
        return (banded(q, k, v, int(np.isfinite(band[0]).sum()) - 1),)


def loads(made: onnx.ModelProto) -> onnxruntime.InferenceSession | None:
    """In ONNX Runtime, with nothing registered."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            made.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception:  # noqa: BLE001 its exceptions have no common class
        return None


def main() -> None:
    """Load both, compare, count operations."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 16, 8)).astype(np.float32) for _ in range(3))
    index = np.arange(16)
    window = 2
    band = np.where(np.abs(index[:, None] - index) <= window, 0, -np.inf).astype(np.float32)
    given = {"q": q, "k": k, "v": v, "scale": np.array(8**-0.5, np.float32), "band": band}
    truth = banded(q, k, v, window)

    bare, whole = model([]), model([body()])
    onnx.checker.check_model(bare)
    onnx.checker.check_model(whole)
    session = loads(whole)
    print(
        f"checker takes both; ONNX Runtime loads the bare node {loads(bare) is not None}, with "
        f"a body {session is not None}"
    )
    assert loads(bare) is None
    assert session is not None
    worst = float(np.abs(np.asarray(session.run(None, given)[0]) - truth).max())
    assert worst < 1e-6
    print(f"with a body: right to {1e-6:g}")
    inlined = onnx.inliner.inline_local_functions(whole)
    kinds = [node.op_type for node in inlined.graph.node]
    print(f"inlined: {', '.join(kinds)}")
    assert len(kinds) == 6

    evaluator = ReferenceEvaluator(bare, new_ops=[BandedAttention])
    kernel = float(np.abs(np.asarray(evaluator.run(None, given)[0]) - truth).max())
    assert kernel < 1e-6
    print(f"bare node with a kernel registered: right to {1e-6:g}")
    length, near = 4096, 2 * 128 + 1
    dense, sparse = length * length, length * near
    print(
        f"length 4096, window 128: the body computes {dense:,} scores, a kernel {sparse:,}: "
        f"{dense / sparse:.1f} times fewer"
    )
    assert dense / sparse > 15


if __name__ == "__main__":
    main()
