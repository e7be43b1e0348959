"""Read and run a BERT in an ONNX file, in a judge's worker with one such file."""

from __future__ import annotations

import onnx
import onnxruntime
import torch

LOADED: list[onnxruntime.InferenceSession] = []


def facts(path: str) -> dict[str, object]:
    """Return names, types and sizes of the ends, and what is outside of the file or of ONNX."""
    model = onnx.load(path, load_external_data=False)
    return {
        "inputs": [_end(value) for value in model.graph.input],
        "outputs": [_end(value) for value in model.graph.output],
        "external": any(weight.external_data for weight in model.graph.initializer),
        "foreign": sorted({n.domain for n in model.graph.node if n.domain not in ("", "ai.onnx")}),
    }


def _end(value: onnx.ValueInfoProto) -> list[object]:
    kind = value.type.tensor_type
    sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in kind.shape.dim]
    return [value.name, kind.elem_type, sizes]


def load(path: str) -> bool:
    """Load the file to run, on one thread."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    providers = ["CPUExecutionProvider"]
    LOADED[:] = [onnxruntime.InferenceSession(path, options, providers=providers)]
    return True


def run(ids: torch.Tensor, mask: torch.Tensor, logits: torch.Tensor) -> None:
    """Fill `logits`, as `run` of bert_truth.py does.

    ids, mask: int64 [batch, length]. logits: float32 [batch, labels].
    """
    inputs = {"input_ids": ids.numpy(), "attention_mask": mask.numpy()}
    logits.copy_(torch.from_numpy(LOADED[0].run(["logits"], inputs)[0]))
