"""Counts the graphs that a candidate's `compiled` makes of a model, in a process of its own.

The candidate's code runs in it, so that what it says is believed of an honest candidate only.
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
    """How many graphs there are after batches of these sizes, and how far the losses are off.

    sizes: numbers with blanks between them.
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
