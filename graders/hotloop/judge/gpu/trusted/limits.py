"""The card's limits, measured on the card: runs in a worker of the judge's own, next to nobody.

Not part of the package's imports: a trusted worker loads this file by its path.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch

COPY_BYTES = 2 << 30
MATMUL_SIZE = 8192
REPEATS = 12


def copy_bytes_per_second(size: int = COPY_BYTES) -> float:
    """Bytes read plus bytes written a second by a large copy on the device: the best of a few."""
    source = torch.empty(size // 4, device="cuda").normal_()
    target = torch.empty_like(source)
    return 2 * source.nbytes / _fastest(lambda: target.copy_(source))


def matmul_flops_per_second(size: int = MATMUL_SIZE) -> float:
    """Floating-point operations a second of a bf16 matrix product of random numbers."""
    left = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    right = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    return 2 * size**3 / _fastest(lambda: left @ right)


def _fastest(run: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs, by events on the device."""
    for _ in range(3):
        run()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(REPEATS + 1)]
    marks[0].record()
    for mark in marks[1:]:
        run()
        mark.record()
    torch.cuda.synchronize()
    return min(first.elapsed_time(last) for first, last in pairwise(marks)) * 1e-3
