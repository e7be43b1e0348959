"""Sync-bound: in each step the process waits until something else has finished.

Here two processes average their gradients over gloo, and the other one comes late: it tests the
model after each step, and nobody told the first one. How it shows: the range `average` is long, and
so is `gloo:all_reduce`, while no operator runs; the operator that asked for it, `c10d::allreduce_`,
is short.

On a GPU the same picture has other names: the CPU stands in `cudaStreamSynchronize`, called by
`aten::item` or by a copy to the host, until the GPU has done what was asked of it before. This was
recorded on CPUs, and shows the wait for another process.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from training_loop import DEVIATION, MEAN, Batch, Loop

PIECE = 50


class SyncBound(Loop):
    """The second process is late at each meeting."""

    world = 2

    def step(self, batches: Iterator[Batch]) -> None:
        """A step; afterwards the second process tests."""
        super().step(batches)
        if self.rank == 1:
            self._test()

    @torch.inference_mode()
    def _test(self) -> None:
        self.model.eval()
        for images in self.pictures.test_images.split(PIECE):
            self.model(images.movedim(3, 1).float().sub_(MEAN).div_(DEVIATION))
        self.model.train()
