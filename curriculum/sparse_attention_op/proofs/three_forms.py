"""The same operator in three ONNX files: what stands in them, and what ONNX Runtime says."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path

import onnx
import onnxruntime
import torch
from sparse_lab.exports import export_ops

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import inputs, reference

BLOCK, CAUSAL, HEADS, DEPTH = 16, True, 2, 32


def session(path: str) -> onnxruntime.InferenceSession | str:
    """A session, or how ONNX Runtime refuses."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - its classes are private
        return str(error)


def largest_difference(made: onnxruntime.InferenceSession) -> float:
    """On lengths that no export has seen."""
    worst = 0.0
    for length in (1, 40, 167):
        given = inputs(length, BLOCK, HEADS, DEPTH)
        want = reference.attention(*given, BLOCK, CAUSAL)
        feeds = {n: x.numpy() for n, x in zip(export_ops.INPUTS, given, strict=True)}
        (got,) = made.run(None, feeds)
        worst = max(worst, float((torch.from_numpy(got) - want).abs().max()))
    return worst


def main() -> None:
    """Each form: nodes, functions, and whether it runs."""
    folder = Path(tempfile.mkdtemp())
    for name, write in (
        ("decomposed", lambda path: export_ops.decomposed(18, HEADS, DEPTH, BLOCK, CAUSAL, path)),
        ("function", lambda path: export_ops.as_function(HEADS, DEPTH, BLOCK, CAUSAL, path)),
        ("node", lambda path: export_ops.as_node(HEADS, DEPTH, BLOCK, CAUSAL, path)),
    ):
        path = str(folder / f"{name}.onnx")
        with contextlib.redirect_stdout(io.StringIO()):
            write(path)
        model = onnx.load(path)
        found = Counter(node.domain or "ai.onnx" for node in model.graph.node)
        print(f"{name:10} nodes {dict(found)}, functions {len(model.functions)}")
        made = session(path)
        if isinstance(made, str):
            known = "is not a registered function/op" in made
            print(f"{'':10} ONNX Runtime refuses it: not a registered function/op: {known}")
            assert name == "node"
            assert known
        else:
            right = largest_difference(made) < 1e-5
            print(f"{'':10} ONNX Runtime runs it, within 1e-5 for 1, 40 and 167 tokens: {right}")
            assert right


if __name__ == "__main__":
    main()
