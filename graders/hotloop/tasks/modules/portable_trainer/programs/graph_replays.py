"""Repeat what a compiled model has computed, with hidden weights and samples, and count graphs.

None of the candidate's code runs here.
"""

from __future__ import annotations

from typing import Any

import shapes
import torch
import vlm

from hotloop.worker.torch_graph_replay import GraphReplay
from hotloop.worker.torch_replay import unpacked

torch.set_num_threads(1)

REPLAYS: list[GraphReplay] = []


@torch.no_grad()
def begin(seed: int, steps: str) -> None:
    """Start over with the weights of this seed, and repeat what compiling did."""
    REPLAYS[:] = [GraphReplay([each.detach() for each in vlm.made(seed).parameters()])]
    REPLAYS[0].all(unpacked(steps))


@torch.no_grad()
def repeated(first: int, size: int, steps: str) -> float:
    """Return the loss of `size` samples from the number `first` on, by these steps."""
    return float(REPLAYS[0].answer(list(_batch(first, size)), unpacked(steps)))


@torch.no_grad()
def loss(seed: int, first: int, size: int) -> float:
    """Return the loss of the same samples by the model itself."""
    return vlm.made(seed)(*_batch(first, size)).item()


def counts() -> list[Any]:
    """Return the number of graphs that ran, and what computed beside them, since `begin`."""
    return [len(REPLAYS[0].graphs), REPLAYS[0].outside]


def _batch(first: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    return shapes.batch(range(first, first + size))
