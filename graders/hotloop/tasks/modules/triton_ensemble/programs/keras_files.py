"""Read and run one file of the learner's, a SavedModel in a zip or an ONNX file."""

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
    """Load the file and return inputs and outputs of its default signature.

    Returns the signatures' names if there is no default one.
    """
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
    # The function is valid only while the loaded object is.
    LOADED[:] = [lambda images: default(images=tf.constant(images))["scores"].numpy(), loaded]
    ends = (default.structured_input_signature[1], default.structured_outputs)
    inputs, outputs = (
        {name: [spec.dtype.name, spec.shape.as_list()] for name, spec in end.items()}
        for end in ends
    )
    return {"inputs": inputs, "outputs": outputs}


def onnx_file(path: str) -> dict[str, Any]:
    """Load the file and return its inputs and outputs; a free size is None."""
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
    """Fill `scores`, as `run` of keras_truth.py does.

    images: float32 [n, 16, 24, 3]. scores: float32 [n, 5].
    """
    scores.copy_(torch.from_numpy(LOADED[0](images.numpy())))
