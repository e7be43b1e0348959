"""Copies on the GPU, in PyTorch and in Triton, destination style. Runs in a worker."""

from __future__ import annotations

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def torch_copy(x: torch.Tensor, out: torch.Tensor) -> None:
    """Copy with PyTorch's kernel."""
    out.copy_(x)


def begin_a_while() -> None:
    """Launch a kernel that spins for about 50 ms, and do not wait for it."""
    torch.cuda._sleep(75_000_000)


if triton is not None:

    @triton.jit
    def _copy(x_ptr, out_ptr, count, BLOCK: tl.constexpr):  # noqa: N803
        places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = places < count
        tl.store(out_ptr + places, tl.load(x_ptr + places, mask=inside), mask=inside)


def triton_copy(x: torch.Tensor, out: torch.Tensor) -> None:
    """Copy with a Triton kernel that is compiled here."""
    if triton is None:
        raise RuntimeError("Triton is not installed")
    _copy[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
