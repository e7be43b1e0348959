"""An ONNX file made of two: its weights, in safetensors' format, and all the rest of it.

So a network's weights are stored once, for each version of it and for what trains and exports it.
What is made is the exporter's file to the byte, and no package is needed to make it.

`graph.json` lists the file's parts in order. A part is a text, which is bytes in base64, or a
tensor, such as the first 32 rows of one:

    {"tensor": "bert.embeddings.position_embeddings.weight", "rows": 32, "type": "float16"}
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

WEIGHTS = "model.safetensors"
GRAPH = "graph.json"

_TYPES = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}

Tensors = Mapping[str, NDArray[Any]]


class TensorPart(TypedDict):
    """A tensor of the weights. rows: how many, from the first. type: to which it is cast."""

    tensor: str
    type: str
    rows: NotRequired[int]
    transposed: NotRequired[bool]


Part = str | TensorPart


def onnx_file(folder: Path, prefix: str = "") -> bytes:
    """Return the ONNX file of the network in `folder`.

    prefix: of another version's weights, which replace those of the same name without it.
    """
    weights = tensors((folder / WEIGHTS).read_bytes())
    weights |= {name: weights.get(prefix + name, values) for name, values in weights.items()}
    parts: list[Part] = json.loads((folder / GRAPH).read_text(encoding="utf-8"))
    return b"".join(
        base64.b64decode(part) if isinstance(part, str) else content(part, weights)
        for part in parts
    )


def content(part: TensorPart, weights: Tensors) -> bytes:
    """Return the bytes of a tensor in the file."""
    values = weights[part["tensor"]][: part.get("rows")]
    values = values.T if part.get("transposed") else values
    return values.astype(part["type"]).tobytes()


def tensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file of float16 and float32, by name."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    body = memoryview(data)[8 + size :]
    return {
        name: np.frombuffer(body[slice(*each["data_offsets"])], _TYPES[each["dtype"]]).reshape(
            each["shape"]
        )
        for name, each in header.items()
    }
