"""Runs one file of a candidate's in ONNX Runtime, as it stands or with other attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lab_function
import onnx
import onnxruntime

if TYPE_CHECKING:
    import torch

INPUTS = ("q", "k", "v", "threshold")
LOADED: list[onnxruntime.InferenceSession] = []


def load(path: str) -> None:
    """The file as it stands."""
    _load(onnx.load(path))


def load_with(path: str, block: int, causal: int) -> None:
    """With these attributes in each node of the laboratory's, instead of those in the file."""
    model = onnx.load(path)
    for node in model.graph.node:
        if node.domain == lab_function.DOMAIN:
            kept = [a for a in node.attribute if a.name not in ("block", "causal")]
            del node.attribute[:]
            node.attribute.extend(kept)
            node.attribute.append(onnx.helper.make_attribute("block", block))
            node.attribute.append(onnx.helper.make_attribute("causal", causal))
    _load(model)


def load_with_ours(path: str) -> None:
    """With a function of ours for the laboratory's operator, of which the file knows nothing."""
    _load(lab_function.given_to(onnx.load(path)))


def run(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, threshold: torch.Tensor, out: torch.Tensor
) -> None:
    """Of the four inputs the one output; shapes must be those of `out`."""
    (session,) = LOADED
    given = (x.contiguous().numpy() for x in (q, k, v, threshold))
    (answer,) = session.run(None, dict(zip(INPUTS, given, strict=True)))
    if answer.shape != tuple(out.shape):
        raise ValueError(f"the output has the shape {answer.shape}, and not {tuple(out.shape)}")
    out.numpy()[...] = answer


def _load(model: onnx.ModelProto) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    data = model.SerializeToString()
    LOADED[:] = [onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])]
