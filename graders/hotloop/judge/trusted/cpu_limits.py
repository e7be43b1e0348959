"""Peak arithmetic and bandwidth of a CPU. Runs in a trusted worker, never in the judge."""

import time

import torch

_SIZE = 768
_ROUNDS = 12


def matmul_flops_per_second() -> float:
    """Return the higher FLOP/s of a float32 and a bfloat16 matmul, on the worker's threads."""
    return max(_flops_per_second(torch.float32), _flops_per_second(torch.bfloat16))


def copy(x: torch.Tensor, out: torch.Tensor) -> None:
    """Copy `x`, as the judge times it to measure the bandwidth."""
    out.copy_(x)


def _flops_per_second(dtype: torch.dtype) -> float:
    a, b = torch.rand(_SIZE, _SIZE).to(dtype), torch.rand(_SIZE, _SIZE).to(dtype)
    out = torch.empty_like(a)
    return 2 * _SIZE**3 / min(_seconds(a, b, out) for _ in range(_ROUNDS))


def _seconds(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> float:
    started = time.perf_counter()
    torch.matmul(a, b, out=out)
    return time.perf_counter() - started
