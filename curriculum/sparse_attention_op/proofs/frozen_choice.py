"""A choice made on the host, exported by tracing and by torch.export; and the choice in tensors."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path

import onnxruntime
import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.exports import export_ops, legacy, silent
from sparse_lab.kit import inputs

BLOCK, CAUSAL = 16, False


def traced(path: str, example: tuple[torch.Tensor, ...]) -> list[str]:
    """The deprecated exporter; what it says meanwhile, without its place."""
    with warnings.catch_warnings(record=True) as said, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        torch.onnx.export(
            legacy.LegacyLayer(BLOCK, CAUSAL),
            example,
            path,
            dynamo=False,
            input_names=list(export_ops.INPUTS),
        )
    return sorted({w.category.__name__ for w in said})


def told(path: str, given: tuple[torch.Tensor, ...]) -> float:
    """The largest difference from the team's own layer."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feeds = {n: x.numpy() for n, x in zip(export_ops.INPUTS, given, strict=True)}
    wanted = [end.name for end in session.get_inputs()]
    (got,) = session.run(None, {name: feeds[name] for name in wanted})
    right = legacy.LegacyLayer(BLOCK, CAUSAL)(*given)
    return float((torch.from_numpy(got) - right).abs().max())


def main() -> None:
    """Both exporters on the team's code, then on the fixed one."""
    example, other = inputs(40), inputs(40, seed=1)
    path = str(Path(tempfile.mkdtemp()) / "legacy.onnx")
    print("dynamo=False warns:", traced(path, example))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    print("inputs of its file:", [end.name for end in session.get_inputs()])
    for label, given in (("the example", example), ("another input", other)):
        print(f"correct on {label}: {told(path, given) < 1e-5}")
    assert told(path, example) < 1e-5 < 1e-2 < told(path, other)
    layer = legacy.LegacyLayer(BLOCK, CAUSAL)
    program = torch.export.export(layer, example)
    read = sum("aten.item" in str(node.target) for node in program.graph.nodes)
    right = torch.equal(program.module()(*other), layer(*other))
    print(f"torch.export reads {read} values one by one; correct on another input: {right}")
    assert right
    try:
        torch.export.export(layer, example, dynamic_shapes=export_ops.free_sizes())
        refused = False
    except torch._dynamo.exc.UserError:
        refused = True
    print("and rejects dynamic sizes:", refused)
    assert refused
    with contextlib.redirect_stdout(io.StringIO()):
        silent.mended(2, 32, BLOCK, CAUSAL, path)
    print("the selection in tensors: correct on another input:", told(path, other) < 1e-5)
    print("the selection in tensors: correct on another length:", told(path, inputs(77)) < 1e-5)
    assert max(told(path, other), told(path, inputs(77))) < 1e-5


if __name__ == "__main__":
    main()
