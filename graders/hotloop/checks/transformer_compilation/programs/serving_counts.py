"""Run a learner's service, and count the graphs that TorchDynamo captures.

The backend does not compile: it counts graphs, their runs, and the positions in them.
"""

from __future__ import annotations

import importlib.util
import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch._dynamo
from torch import Tensor

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


@dataclass
class Counts:
    """Counts of the service so far."""

    graphs: int = 0
    runs: int = 0
    positions: int = 0


@dataclass
class Service:
    """The learner's service and its counts."""

    answer: Callable[..., Any]
    counts: Counts


_services: list[Service] = []


def begin(path: str, name: str, seed: int, width: int) -> None:
    """Start a new service, made by the function `name` of the learner's file."""
    torch._dynamo.reset()
    counts = Counts()
    rng = np.random.default_rng(seed)
    weights = {
        "up": torch.from_numpy(rng.standard_normal((width, width)).astype(np.float32)),
        "down": torch.from_numpy(rng.standard_normal(width).astype(np.float32)),
    }
    with torch.no_grad():
        made = getattr(_loaded(Path(path)), name)(_compiling(counts), weights)
    _services[:] = [Service(made, counts)]


@torch.no_grad()
def answer(x: Tensor, temperature: float, strided: bool, out: Tensor) -> None:
    """Answer one request. strided: use a memory order that differs from the axes."""
    if strided:
        x = x.transpose(0, 1).contiguous().transpose(0, 1)
    out.copy_(_services[0].answer(x, temperature))


def counts() -> list[int]:
    """Return graphs, runs and positions since the service was made."""
    found = _services[0].counts
    return [found.graphs, found.runs, found.positions]


def _compiling(counts: Counts) -> Callable[..., Callable[..., Any]]:
    """Return torch.compile with a counting backend."""

    def backend(graph: torch.fx.GraphModule, _inputs: object) -> Callable[..., Any]:
        counts.graphs += 1

        def run(*arguments: Any) -> Any:
            tensors = [each for each in arguments if isinstance(each, Tensor) and each.dim() == 3]
            counts.runs += 1
            counts.positions += max((t.shape[0] * t.shape[1] for t in tensors), default=0)
            return graph.forward(*arguments)

        return run

    def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        return torch.compile(function, **{**options, "backend": backend})

    return compiled


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("serving", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
