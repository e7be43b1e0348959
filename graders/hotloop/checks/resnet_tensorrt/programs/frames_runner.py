"""Runs one exported model, as it stands, on frames. `load` comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnxruntime

if TYPE_CHECKING:
    import torch

LOADED: list[onnxruntime.InferenceSession] = []


def load(path: str) -> None:
    """The model to run."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    LOADED[:] = [onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])]


def run(given: torch.Tensor, out: torch.Tensor) -> None:
    """Of the one input the one output; shapes must be those of `out`."""
    (session,) = LOADED
    (end,) = session.get_inputs()
    (answer,) = session.run(None, {end.name: given.numpy()})
    if answer.shape != tuple(out.shape):
        raise ValueError(f"the output has the shape {answer.shape}, and not {tuple(out.shape)}")
    out.numpy()[...] = answer
