"""Runs models as they stand, one after another: rows of numbers in, rows of numbers out.

All inputs of all models lie behind one another in one row, and so do all outputs; which shapes they
have is told by their sources.
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
    """JSON: of each model its bytes in base64, and by name the shapes of its ends."""
    LOADED[:] = json.loads(Path(path).read_text())


def run(fed: torch.Tensor, out: torch.Tensor) -> None:
    """fed, out: float32, one dimension. An output that is absent or misshapen stays unwritten."""
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
    """Tensors from the row's beginning, sharing its memory, and the rest of the row."""
    taken: dict[str, NDArray[np.float32]] = {}
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        taken[name], row = row[:size].reshape(shape), row[size:]
    return taken, row
