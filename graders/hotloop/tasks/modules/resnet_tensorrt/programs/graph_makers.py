"""Make the hidden graphs of the graph tasks, and their answers. Sees no file of a candidate's.

Models are returned as base64 in plain data, as each has a few kilobytes.
"""

from __future__ import annotations

import base64
import io

import graph_faults
import graph_figures
import graph_folds
import graph_memory
import graph_noops
import numpy as np
from onnx_rewrites import packed, with_truth

Plain = dict[str, object]


def fault_names() -> list[str]:
    """Return the kinds of faults that a pair may have."""
    return list(graph_faults.FAULTS)


def pair(seed: int, fault: str | None) -> Plain:
    """Return two models and inputs for both; `first` is the first tensor that differs, or None."""
    sampled = graph_faults.sampled_pair(np.random.default_rng(seed), fault)
    file = io.BytesIO()
    np.savez(file, **sampled.feeds)
    return {
        "reference": packed(sampled.reference),
        "exported": packed(sampled.exported),
        "feeds": base64.b64encode(file.getvalue()).decode(),
        "first": sampled.first,
    }


def puzzle(
    seed: int, batch: int, activation: str, outside: str | int, consumers: str | int
) -> Plain:
    """Return a network and its figures for a batch size; see `graph_figures.figures`."""
    model = graph_figures.puzzling(np.random.default_rng(seed))
    figures = graph_figures.figures(model, batch, activation, outside, consumers)
    return {"model": packed(model), "figures": figures}


def foldables(seed: int, count: int) -> list[Plain]:
    """Return networks with normalizations to fold, with inputs and right outputs."""
    rng = np.random.default_rng(seed)
    return [with_truth(graph_folds.foldable_net(rng), rng) for _ in range(count)]


def noops(seed: int, count: int, transposes: bool) -> list[Plain]:
    """Return small graphs with no-op nodes to remove, with inputs and right outputs."""
    rng = np.random.default_rng(seed)
    sampled = (graph_noops.noop_graph(rng, transposes=transposes) for _ in range(count))
    return [with_truth(model, rng) for model in sampled]


def small(seed: int, branches: int, tail: int) -> Plain:
    """Return a network with residual branches, inputs and right outputs; `figures`: its memory."""
    rng = np.random.default_rng(seed)
    model = graph_memory.residual(rng, branches, tail)
    return with_truth(model, rng) | {"figures": graph_memory.memory(model)}
