"""The card's limits, measured on the card: runs in a worker of the judge's own, next to nobody.

Not part of the package's imports: a trusted worker loads this file by its path.
"""

from collections.abc import Callable
from itertools import pairwise

import torch

COPY_BYTES = 2 << 30
MATMUL_SIZE = 8192
REPEATS = 12


def copy_bytes_per_second(size: int = COPY_BYTES) -> float:
    """Bytes read plus bytes written a second by a large copy on the device: the best of a few.

    size: at most; a card with little memory gets less.
    """
    size = min(size, torch.cuda.mem_get_info()[0] // 4)
    source = torch.empty(size // 4, device="cuda").normal_()
    target = torch.empty_like(source)
    return 2 * source.nbytes / _fastest(lambda: target.copy_(source))


def matmul_flops_per_second(size: int = MATMUL_SIZE) -> float:
    """Floating-point operations a second of a 16-bit matrix product of random numbers.

    bf16, and fp16 where the tensor cores know no other type (compute capability 7.5).
    """
    modern = torch.cuda.get_device_capability() >= (8, 0)
    dtype = torch.bfloat16 if modern else torch.float16
    left = torch.randn(size, size, device="cuda", dtype=dtype)
    right = torch.randn(size, size, device="cuda", dtype=dtype)
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
