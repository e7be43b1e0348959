"""Repeat what a service has computed, on other numbers, and count its graphs and positions.

None of the learner's code runs here.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hotloop.worker.torch_graph_replay import GraphReplay
from hotloop.worker.torch_replay import unpacked

torch.set_num_threads(1)

REPLAYS: list[ServiceReplay] = []


class ServiceReplay(GraphReplay):
    """A service's storages and graphs. positions: of requests, that went through graphs."""

    def __init__(self, weights: list[Tensor]) -> None:
        super().__init__(weights)
        self.width = len(weights[-1])
        self.positions = 0
        self._of_graphs: Counter[int] = Counter()

    def request(self, x: Tensor, steps: list[Any]) -> Tensor:
        """Repeat the steps of a request and return its answer."""
        self._of_graphs.clear()
        answer = self.answer([x], steps)
        # One graph may go on with what another one has made of the same positions.
        self.positions += max(self._of_graphs.values(), default=0)
        return answer

    def run(self, number: int, given: Any, results: list[int]) -> None:
        """Run a graph, and count the positions that it is given."""
        of_request = {
            self._number(each): each.numel() // self.width
            for each in self.decoded(given)
            if isinstance(each, Tensor) and self._number(each) in self._requested
        }
        self._of_graphs[number] += sum(of_request.values())
        super().run(number, given, results)

    def _number(self, tensor: Tensor) -> int:
        key = tensor.untyped_storage()._cdata
        return next(n for n, storage in self._storages.items() if storage._cdata == key)


def begin(seed: int, width: int, steps: str) -> None:
    """Start over with the weights of this seed, and repeat what making the service did."""
    rng = np.random.default_rng(seed)
    up = torch.from_numpy(rng.standard_normal((width, width)).astype(np.float32))
    down = torch.from_numpy(rng.standard_normal(width).astype(np.float32))
    REPLAYS[:] = [ServiceReplay([up, down])]
    with torch.no_grad():
        REPLAYS[0].all(unpacked(steps))


@torch.no_grad()
def answer(x: Tensor, strided: bool, steps: str, out: Tensor) -> None:
    """Repeat the steps of a request for `x`."""
    x = x.transpose(0, 1).contiguous().transpose(0, 1) if strided else x.clone()
    out.copy_(REPLAYS[0].request(x, unpacked(steps)))


def counts() -> list[Any]:
    """Return graphs, positions in them, and what computed beside them, since `begin`."""
    replay = REPLAYS[0]
    return [len(replay.graphs), replay.positions, replay.outside]
