"""Allocator thrash: each step takes fresh memory for large temporaries and gives it back.

Each picture of 32×32 is put on a canvas as large as the largest picture of any data set, beside a
mask of the same size, and cut out again. The C library maps so large a block anew each time and
unmaps it when it is freed, and the kernel fills each of its pages with zeros at the first touch.

How it shows: the range `forward` is long, but not because of convolutions: `aten::zeros`, and in it
`aten::zero_` and `aten::fill_`, which touch each page first. After the last operator of `forward`
is a gap, in which the blocks are given back. Among the [memory] events two a step are hundreds of
times larger than all others. On a GPU the caching allocator keeps such blocks, until it has none
that fits: then `cudaMalloc` and `cudaFree` appear in the steps, and each of them waits.
"""

from __future__ import annotations

import torch
from training_loop import Loop

SIDE = 1024


class AllocatorThrash(Loop):
    """The forward pass goes through two large temporaries."""

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The loss of pictures that were on a canvas."""
        images, planes, height, width = inputs.shape
        canvas = torch.zeros(images, planes, SIDE, SIDE)
        mask = torch.zeros(images, planes, SIDE, SIDE)
        canvas[:, :, :height, :width] = inputs
        mask[:, :, :height, :width] = 1
        cut = canvas[:, :, :height, :width] * mask[:, :, :height, :width]
        return super().forward(cut, labels)
