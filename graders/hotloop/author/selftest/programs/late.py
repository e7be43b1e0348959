"""A dishonest candidate: it reports that it is done while the output is still being written."""

from __future__ import annotations

import torch

from hotloop.worker.device import Cuda

Cuda.synchronize = lambda _self: None
ASIDE: list[torch.cuda.Stream] = []


def _cycles_a_ms() -> int:
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(1_000_000)
    first.record()
    torch.cuda._sleep(10_000_000)
    last.record()
    last.synchronize()
    return round(10_000_000 / first.elapsed_time(last))


def _late(milliseconds: int, x: torch.Tensor, out: torch.Tensor) -> None:
    if not ASIDE:
        ASIDE.append(torch.cuda.Stream())
    with torch.cuda.stream(ASIDE[0]):
        torch.cuda._sleep(milliseconds * CYCLES_A_MS)
        out.copy_(x)


CYCLES_A_MS = _cycles_a_ms()


def late_1(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the output 1 ms late."""
    _late(1, x, out)


def late_10(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the output 10 ms late."""
    _late(10, x, out)


def late_100(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the output 100 ms late."""
    _late(100, x, out)
