"""Count the graphs that a candidate's `compiled` makes of a model, in a separate process.

The candidate's code runs in this process, so its answer is only reliable for honest candidates.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import shapes
import torch
import vlm

torch.set_num_threads(1)


def graphs(backends: str, checkpoint: str, sizes: str) -> dict[str, Any]:
    """Return the number of graphs after batches of these sizes, and the largest loss error.

    sizes: numbers separated by blanks.
    """
    _loaded(checkpoint, "checkpoint")
    compiled = _loaded(backends, "backends").compiled
    model, made = vlm.made(1), []

    def recording(graph: Any, inputs: Any) -> Any:
        made.append(len(inputs))
        return graph.forward

    loss, off = compiled(model, recording), 0.0
    for size in map(int, sizes.split()):
        batch = shapes.batch(range(size))
        got, want = loss(*batch), model(*batch)
        got.backward()
        off = max(off, abs(got.item() - want.item()))
    return {"graphs": len(made), "off": off}


def _loaded(source: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(source))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
