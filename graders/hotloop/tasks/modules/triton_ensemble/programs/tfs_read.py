"""Read messages that a learner's server has written, in a judge's worker with nothing else."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import tfs_messages as tfs

NAMES = {number: name for name, number in tfs.TYPES.items()}


def tensors(texts: list[str]) -> list[list[Any]]:
    """Return type, shape and values of each TensorProto in base64."""
    return [_described(tfs.TensorProto.FromString(base64.b64decode(text))) for text in texts]


def response(text: str) -> dict[str, Any]:
    """Return the model_spec and outputs of a PredictResponse in base64."""
    message = tfs.PredictResponse.FromString(base64.b64decode(text))
    spec = message.model_spec
    return {
        "spec": [spec.name, spec.version.value, spec.signature_name],
        "outputs": {name: _described(tensor) for name, tensor in message.outputs.items()},
    }


def _described(tensor: Any) -> list[Any]:
    name = NAMES[tensor.dtype]
    # One without tensor_shape is a scalar, as it is to TensorFlow.
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    size = int(np.prod(shape))
    if name == "bytes":
        return [name, shape, [value.hex() for value in tensor.string_val]]
    if tensor.tensor_content:
        flat = np.frombuffer(tensor.tensor_content, np.dtype(name))
    elif name == "float16":
        flat = np.array(tensor.half_val, np.uint16).view(np.float16)
    else:
        flat = np.array(getattr(tensor, tfs.FIELDS[name]), name)
    if 0 < len(flat) < size:
        flat = flat[np.minimum(np.arange(size), len(flat) - 1)]
    if len(flat) != size:
        raise ValueError(f"a tensor of {size} elements has {len(flat)} values")
    return [name, shape, flat.tolist()]
