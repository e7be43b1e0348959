"""Record a learner's decoding step: which operators run on which tensors.

The recording uses the sizes of the hidden problem with other values, so numbers that the learner's
Python reads from a tensor are wrong in the replay.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import decoder
import recording
import torch

from hotloop.worker.files import load_module
from hotloop.worker.torch_record import Recorder, Unfollowed, packed

torch.set_num_threads(1)


class StepRecorder(Recorder):
    """The operators of a step that a CUDA graph could hold too."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Record an operator. Raises RuntimeError for one that the host has to wait for."""
        recording.require_no_wait(func, args)
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _constant(self, tensor: Any) -> None:  # noqa: ARG002 - none is held
        raise Unfollowed(recording.NOT_MADE)

    def taken(self) -> str:
        """Return the steps since the last call. Raises RuntimeError for what no list can hold."""
        if self.unfollowed:
            raise RuntimeError(self.unfollowed)
        steps = packed(self.steps)
        self.steps.clear()
        return steps


@torch.no_grad()
def record(
    path: str, rows: int, layers: int, heads: int, width: int, longest: int
) -> tuple[str, str]:
    """Record the file at `path`; return the operators that run once, and those of each step."""
    own = load_module(Path(path).stem, Path(path))
    vocabulary = 7 + rows
    shapes = decoder.shapes(vocabulary, layers, width, longest)
    weights = {name: torch.randn(shape) / 4 for name, shape in shapes.items()}
    token = torch.randint(vocabulary, (rows,))
    place = torch.randint(longest // 2, (rows,))
    cache = torch.randn(layers, rows, 2, heads, longest, width // heads)
    out = torch.empty(rows, vocabulary)
    recorder = StepRecorder([*weights.values(), token, place, cache, out])
    with recorder:
        ready = own.prepare(weights, cache)
    once = recorder.taken()
    with recorder:
        own.step(ready, token, place, cache, out)
    return once, recorder.taken()
