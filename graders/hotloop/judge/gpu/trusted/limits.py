"""The GPU's peaks, measured in a trusted worker while no other process computes.

Not part of the package's imports: a trusted worker loads this file by its path.
"""

from collections.abc import Callable
from itertools import pairwise

import torch

COPY_BYTES = 2 << 30
MATMUL_SIZE = 8192
REPEATS = 12


def copy_bytes_per_second(size: int = COPY_BYTES) -> float:
    """Return bytes read plus written per second by a large copy on the device: the best of a few.

    size: maximum bytes; a GPU with little memory uses less.
    """
    size = min(size, torch.cuda.mem_get_info()[0] // 4)
    source = torch.empty(size // 4, device="cuda").normal_()
    target = torch.empty_like(source)
    return 2 * source.nbytes / _fastest(lambda: target.copy_(source))


def matmul_flops_per_second(size: int = MATMUL_SIZE) -> float:
    """Return the FLOP/s of a 16-bit matmul of random numbers.

    bf16, or fp16 before compute capability 8.0, whose tensor cores have no bf16.
    """
    modern = torch.cuda.get_device_capability() >= (8, 0)
    dtype = torch.bfloat16 if modern else torch.float16
    left = torch.randn(size, size, device="cuda", dtype=dtype)
    right = torch.randn(size, size, device="cuda", dtype=dtype)
    return 2 * size**3 / _fastest(lambda: left @ right)


def _fastest(run: Callable[[], object]) -> float:
    """Return the seconds of the fastest run, by CUDA events."""
    for _ in range(3):
        run()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(REPEATS + 1)]
    marks[0].record()
    for mark in marks[1:]:
        run()
        mark.record()
    torch.cuda.synchronize()
    return min(first.elapsed_time(last) for first, last in pairwise(marks)) * 1e-3
