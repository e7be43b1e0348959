"""A call of known duration: a kernel that spins for a number of cycles, then a copy."""

from __future__ import annotations

import statistics

import torch

CYCLES = 4_000_000
CALLS = 16
REPEATS = 12


def known(x: torch.Tensor, out: torch.Tensor) -> None:
    """Spin, then copy `x` to `out`."""
    torch.cuda._sleep(CYCLES)
    out.copy_(x)


def known_seconds() -> float:
    """Return the median seconds per call, measured with CUDA events on tensors of equal size."""
    x = torch.randn(1024, 1024, device="cuda")
    out = torch.empty_like(x)
    samples = [_once(x, out) for _ in range(REPEATS + 3)][3:]
    return statistics.median(samples)


def _once(x: torch.Tensor, out: torch.Tensor) -> float:
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    first.record()
    for _ in range(CALLS):
        known(x, out)
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) * 1e-3 / CALLS
