"""Reads and runs one file of the learner's, a SavedModel in a zip or an ONNX file."""

from __future__ import annotations

import os
import tempfile
import zipfile
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import torch

MOST_BYTES = 16 << 20
LOADED: list[Any] = []


def saved_model(path: str) -> dict[str, Any]:
    """Load it, and say what its default signature takes and gives."""
    import tensorflow as tf

    folder = tempfile.mkdtemp()
    with zipfile.ZipFile(path) as packed:
        if sum(each.file_size for each in packed.infolist()) > MOST_BYTES:
            raise ValueError("the SavedModel is far too large")
        packed.extractall(folder)
    loaded = tf.saved_model.load(folder)
    default = loaded.signatures.get("serving_default")
    if default is None:
        return {"signatures": sorted(loaded.signatures)}
    # The function lives as long as what was loaded.
    LOADED[:] = [lambda images: default(images=tf.constant(images))["scores"].numpy(), loaded]
    ends = (default.structured_input_signature[1], default.structured_outputs)
    inputs, outputs = (
        {name: [spec.dtype.name, spec.shape.as_list()] for name, spec in end.items()}
        for end in ends
    )
    return {"inputs": inputs, "outputs": outputs}


def onnx_file(path: str) -> dict[str, Any]:
    """Load it, and say what it takes and gives; a size that is free is None."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    LOADED[:] = [lambda images: session.run(["scores"], {"images": images})[0]]
    inputs, outputs = (
        {
            value.name: [
                value.type.removeprefix("tensor(").removesuffix(")").replace("float", "float32"),
                [size if isinstance(size, int) else None for size in value.shape],
            ]
            for value in end
        }
        for end in (session.get_inputs(), session.get_outputs())
    )
    return {"inputs": inputs, "outputs": outputs}


def run(images: torch.Tensor, scores: torch.Tensor) -> None:
    """As its truth."""
    scores.copy_(torch.from_numpy(LOADED[0](images.numpy())))
