"""Make the hidden graphs of the graph tasks, and their answers. Sees no file of a candidate's.

Models are returned as base64 in plain data, as each has a few kilobytes.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping

import graph_faults
import graph_figures
import graph_folds
import graph_noops
import graph_values
import numpy as np
import onnx
from graph_nets import pixels, shape_of
from numpy.typing import NDArray


def fault_names() -> list[str]:
    """Return the kinds of faults that a pair may have."""
    return list(graph_faults.FAULTS)


def pair(seed: int, fault: str | None) -> dict[str, object]:
    """Return two models and inputs for both; `first` is the first tensor that differs, or None."""
    rng = np.random.default_rng(seed)
    sampled = graph_faults.faulty_pair(rng, fault) if fault else graph_faults.equal_pair(rng)
    return {
        "reference": _packed(sampled.reference),
        "exported": _packed(sampled.exported),
        "feeds": _packed_arrays(sampled.feeds),
        "first": sampled.first,
    }


def puzzle(
    seed: int, batch: int, activation: str, outside: str | int, consumers: str | int
) -> dict[str, object]:
    """Return a network and its figures for a batch size; see `graph_figures.figures`."""
    model = graph_figures.puzzling(np.random.default_rng(seed))
    figures = graph_figures.figures(model, batch, activation, outside, consumers)
    return {"model": _packed(model), "figures": figures}


def foldables(seed: int, count: int) -> list[dict[str, object]]:
    """Return networks with normalizations to fold, with inputs and right outputs."""
    rng = np.random.default_rng(seed)
    return [_with_truth(graph_folds.foldable_net(rng), rng) for _ in range(count)]


def noops(seed: int, count: int, transposes: bool) -> list[dict[str, object]]:
    """Return small graphs with no-op nodes to remove, with inputs and right outputs."""
    rng = np.random.default_rng(seed)
    sampled = (graph_noops.noop_graph(rng, transposes=transposes) for _ in range(count))
    return [_with_truth(model, rng) for model in sampled]


def _with_truth(model: onnx.ModelProto, rng: np.random.Generator) -> dict[str, object]:
    """Return the model with inputs for all that is not stored, and its outputs in float64, flat."""
    stored = {tensor.name for tensor in model.graph.initializer}
    feeds = {name: x for name, x in pixels(model, rng).items() if name not in stored}
    names = [value.name for value in model.graph.output]
    truth = graph_values.in_float64(model, feeds, names)
    return {
        "model": _packed(model),
        "inputs": {name: list(value.shape) for name, value in feeds.items()},
        "outputs": {value.name: list(shape_of(value)) for value in model.graph.output},
        "fed": np.concatenate([v.ravel() for v in feeds.values()]).tolist(),
        "truth": [np.ravel(truth[name]).tolist() for name in names],
    }


def _packed(model: onnx.ModelProto) -> str:
    return base64.b64encode(model.SerializeToString()).decode()


def _packed_arrays(arrays: Mapping[str, NDArray[np.float32]]) -> str:
    file = io.BytesIO()
    np.savez(file, **dict(arrays))  # pyright: ignore[reportArgumentType]
    return base64.b64encode(file.getvalue()).decode()
