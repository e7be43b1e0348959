"""Run a candidate's file in ONNX Runtime, unchanged or with other attributes."""

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
    """Load the file unchanged."""
    _load(onnx.load(path))


def load_with(path: str, block: int, causal: int) -> None:
    """Load the file with these attributes in each hotloop.lab node, in place of the file's."""
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
    """Load the file with the judge's function as the body of the hotloop.lab node."""
    _load(lab_function.given_to(onnx.load(path)))


def run(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, threshold: torch.Tensor, out: torch.Tensor
) -> None:
    """Run the four inputs. Raises ValueError if the output's shape is not that of `out`."""
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
