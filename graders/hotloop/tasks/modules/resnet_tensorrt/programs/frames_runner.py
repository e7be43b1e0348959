"""Run one exported model, without graph changes by us, on frames. Call `load` first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnxruntime

if TYPE_CHECKING:
    import torch

LOADED: list[onnxruntime.InferenceSession] = []


def load(path: str) -> None:
    """Load the model to run."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    LOADED[:] = [onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])]


def run(given: torch.Tensor, out: torch.Tensor) -> None:
    """Run the model's only input to its only output.

    Raises ValueError if the output's shape is not that of `out`.
    """
    (session,) = LOADED
    (end,) = session.get_inputs()
    (answer,) = session.run(None, {end.name: given.numpy()})
    if answer.shape != tuple(out.shape):
        raise ValueError(f"the output has the shape {answer.shape}, and not {tuple(out.shape)}")
    out.numpy()[...] = answer
