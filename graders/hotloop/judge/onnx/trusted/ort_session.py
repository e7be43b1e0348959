"""Run one model in ONNX Runtime with given session options.

Runs in a worker of ours, which has one model and nothing else. Call `load` first; `run` is in
destination style.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import onnxruntime

if TYPE_CHECKING:
    import torch

LEVELS = {
    "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "layout": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_LAYOUT,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
MODES = {
    "sequential": onnxruntime.ExecutionMode.ORT_SEQUENTIAL,
    "parallel": onnxruntime.ExecutionMode.ORT_PARALLEL,
}
SPINNING = {
    "intra_op_spinning": "session.intra_op.allow_spinning",
    "inter_op_spinning": "session.inter_op.allow_spinning",
}
LOADED: list[onnxruntime.InferenceSession] = []
ENDS: list[str] = []
"""The names that the model's inputs and its output must have; empty: any."""


def load(path: str, options: str = "{}", ends: Sequence[str] = ()) -> None:
    """Load the model.

    options: JSON, with the keys that the judge's `session_options` allows. ends: names of its
    inputs and of the output to read, where others are wrong.
    """
    LOADED[:] = [opened(path, json.loads(options))]
    ENDS[:] = ends


def run(*tensors: torch.Tensor) -> None:
    """Run the model on the first tensors, in the order of its inputs, and fill the last one.

    Reads the first output. Raises ValueError if its shape is another one.
    """
    *given, out = tensors
    (session,) = LOADED
    names = ENDS[:-1] or [end.name for end in session.get_inputs()]
    values = (tensor.contiguous().numpy() for tensor in given)
    answer, *_ = session.run(ENDS[-1:] or None, dict(zip(names, values, strict=True)))
    if answer.shape != tuple(out.shape):
        raise ValueError(f"the output has the shape {answer.shape}, and not {tuple(out.shape)}")
    out.numpy()[...] = answer


def opened(
    model: str | bytes, settings: Mapping[str, Any], library: str = ""
) -> onnxruntime.InferenceSession:
    """Return a session of a file or of its content, with one thread unless `settings` say another.

    library: path of custom operators to register.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for key, value in ({"intra_op_num_threads": 1} | dict(settings)).items():
        if key == "graph_optimization_level":
            options.graph_optimization_level = LEVELS[value]
        elif key == "execution_mode":
            options.execution_mode = MODES[value]
        elif key in SPINNING:
            options.add_session_config_entry(SPINNING[key], "1" if value else "0")
        else:
            setattr(options, key, value)
    if library:
        options.register_custom_ops_library(library)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
