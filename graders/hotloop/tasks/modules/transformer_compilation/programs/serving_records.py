"""Run a learner's service, and list what it computes: PyTorch's operations, and runs of graphs.

The service works on numbers without a meaning. Another process repeats the list on the hidden
request (serving_replays.py), so what is said here is believed of nobody.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from hotloop.worker.files import load_module
from hotloop.worker.torch_graph_record import GraphRecorder

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

RECORDERS: list[GraphRecorder] = []
SERVICES: list[Callable[..., Any]] = []


def begin(path: str, name: str, width: int) -> str:
    """Start a new service, made by the function `name` of the learner's file; return its steps."""
    torch._dynamo.reset()
    weights = {"up": torch.randn(width, width), "down": torch.randn(width)}
    recorder = GraphRecorder(weights.values())

    def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        return torch.compile(function, **{**options, "backend": recorder.backend()})

    with torch.no_grad(), recorder:
        service = getattr(load_module(Path(path).stem, Path(path)), name)(compiled, weights)
    RECORDERS[:], SERVICES[:] = [recorder], [service]
    return recorder.taken()


def answer(rows: int, length: int, width: int, temperature: float, strided: bool) -> str:
    """Serve one request; return its steps. strided: the memory order is not that of the axes."""
    recorder, service = RECORDERS[0], SERVICES[0]
    x = torch.randn(rows, length, width)
    if strided:
        x = x.transpose(0, 1).contiguous().transpose(0, 1)
    recorder.steps.append(["input", recorder.number(x)])
    with torch.no_grad(), recorder:
        mean = service(x, temperature)
    recorder.steps.append(["out", recorder.encoded(mean)])
    return recorder.taken()
