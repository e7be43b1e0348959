"""Rewritten models: made with their truth, compared with their sources, and run.

Makers and readers of a module import this file; as a program of its own it runs models, flat arrays
in and flat arrays out. Models are exchanged as base64 in JSON, as each has a few kilobytes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx_facts import dims_of, refusal
from onnx_values import AS_IT_IS, in_float64
from ort_session import opened

if TYPE_CHECKING:
    import torch

Mismatch = Callable[[onnx.ModelProto, onnx.ModelProto], str | None]
Wrong = tuple[int, str]
LOADED: list[dict[str, Any]] = []


def packed(model: onnx.ModelProto) -> str:
    """Return the model's bytes in base64."""
    return base64.b64encode(model.SerializeToString()).decode()


def feeds_for(model: onnx.ModelProto, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Return random values, by name, for all inputs of static shapes that are not stored."""
    stored = {tensor.name for tensor in model.graph.initializer}
    return {
        value.name: rng.normal(0, 1, dims_of(value)).astype(np.float32)
        for value in model.graph.input
        if value.name not in stored
    }


def with_truth(model: onnx.ModelProto, rng: np.random.Generator) -> dict[str, object]:
    """Return the model with inputs for all that is not stored, and its outputs in float64, flat."""
    feeds = feeds_for(model, rng)
    outputs = {value.name: dims_of(value) for value in model.graph.output}
    truth = in_float64(model, feeds, list(outputs))
    return {
        "model": packed(model),
        "inputs": {name: list(value.shape) for name, value in feeds.items()},
        "outputs": outputs,
        "fed": np.concatenate([v.ravel() for v in feeds.values()]).tolist(),
        "truth": [np.ravel(truth[name]).tolist() for name in outputs],
    }


def first_wrong(path: str, mismatch: Mismatch, wanted: Callable[[int, int], int]) -> Wrong | None:
    """Return index and message of the first rewritten model that is wrong, or None.

    path: JSON, pairs of source and rewritten model. wanted: the required model_version for the
    source's and for the number of nodes that are gone; 0 to accept any.
    """
    for place, (source, rewritten) in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))):
        before = onnx.load_model_from_string(base64.b64decode(source))
        try:
            model = onnx.load_model_from_string(base64.b64decode(rewritten))
        except DecodeError:
            return place, "what was written is no ONNX model"
        message = mismatch(before, model)
        version = wanted(before.model_version, len(before.graph.node) - len(model.graph.node))
        if message is None and version and model.model_version != version:
            message = f"its model_version is {model.model_version} and should be {version}"
        if message is not None:
            return place, message
    return None


def unsound(source: onnx.ModelProto, rewritten: onnx.ModelProto) -> Iterator[str]:
    """Yield what is wrong with any rewritten model: other ends or versions, or no valid model."""
    if any(tensor.external_data for tensor in rewritten.graph.initializer):
        yield "weights lie outside of the file"
    for end in ("input", "output"):
        before, now = getattr(source.graph, end), getattr(rewritten.graph, end)
        names, new_names = [v.name for v in before], [v.name for v in now]
        if names != new_names:
            yield (
                f"the graph's {end}s are {', '.join(new_names)[:100]} "
                f"and should be {', '.join(names)[:100]}"
            )
        yield from (
            f"{end} {old.name!r} has another type or shape"
            for old, new in zip(before, now, strict=False)
            if old.type != new.type
        )
    if list(rewritten.opset_import) != list(source.opset_import):
        yield "the model's opset should have stayed as it was"
    if rewritten.ir_version != source.ir_version:
        yield "the model's IR version should have stayed as it was"
    if rewritten.functions or any(node.domain for node in rewritten.graph.node):
        yield "there are nodes that are not ONNX's own"
    if (message := refusal(rewritten)) is not None:
        # The checker nests the kinds of its errors.
        plain = re.sub(r"\[\w+Error\] |Inference error\(s\): ", "", message)
        yield f"onnx.checker does not accept the model: {plain.rstrip('.')}"


def load(path: str) -> None:
    """Read JSON: each model's bytes in base64, and the shapes of its inputs and outputs by name."""
    LOADED[:] = json.loads(Path(path).read_text(encoding="utf-8"))


def run(fed: torch.Tensor, out: torch.Tensor) -> None:
    """Run all models.

    fed, out: float32, 1-D: the inputs of all models, and their outputs. An output of another shape
    leaves its part unwritten.
    """
    row, rest = fed.numpy(), out.numpy()
    for model in LOADED:
        feeds, row = _taken(row, model["inputs"])
        parts, rest = _taken(rest, model["outputs"])
        values = opened(base64.b64decode(model["model"]), AS_IT_IS).run(list(parts), feeds)
        for value, part in zip(values, parts.values(), strict=True):
            if value.shape == part.shape:
                part[...] = value


def _taken(
    row: NDArray[np.float32], shapes: dict[str, list[int]]
) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float32]]:
    """Return tensors that are views of the row's start, and the rest of the row."""
    taken: dict[str, NDArray[np.float32]] = {}
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        taken[name], row = row[:size].reshape(shape), row[size:]
    return taken, row
