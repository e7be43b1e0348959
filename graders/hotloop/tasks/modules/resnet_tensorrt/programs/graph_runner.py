"""Run models one after another, without graph optimizations: flat arrays in, flat arrays out.

The inputs of all models are concatenated in one array, and so are all outputs; their sources
determine the shapes.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from graph_values import session
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

LOADED: list[dict[str, Any]] = []


def load(path: str) -> None:
    """Read JSON: each model's bytes in base64, and the shapes of its inputs and outputs by name."""
    LOADED[:] = json.loads(Path(path).read_text())


def run(fed: torch.Tensor, out: torch.Tensor) -> None:
    """Run all models.

    fed, out: float32, 1-D. An output of another shape leaves its part unwritten.
    """
    row, rest = fed.numpy(), out.numpy()
    for model in LOADED:
        feeds, row = _taken(row, model["inputs"])
        parts, rest = _taken(rest, model["outputs"])
        values = session(base64.b64decode(model["model"])).run(list(parts), feeds)
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
