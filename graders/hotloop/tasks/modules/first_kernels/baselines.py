"""Baselines of module first_kernels: the same in eager PyTorch, or a copy of the same bytes.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import gelu


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    """Compute a · x + y in one PyTorch kernel; x, y, out: [rows, columns], float32."""
    torch.add(y, x, alpha=a, out=out)


def bias_gelu(x: torch.Tensor, bias: torch.Tensor, out: torch.Tensor) -> None:
    """Compute it in two kernels with the sum stored; x, out: [rows, columns], bias: [columns]."""
    out.copy_(gelu(x + bias, approximate="tanh"))


def row_sums(x: torch.Tensor, out: torch.Tensor) -> None:
    """Sum with PyTorch's reduction; x: [rows, columns], out: [rows]."""
    torch.sum(x, dim=-1, out=out)


def matmul(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Multiply with cuBLAS, float32 result; a: [m, k], b: [k, n], float16."""
    torch.mm(a, b, out_dtype=torch.float32, out=out)


def copy(x: torch.Tensor, *rest: Any) -> None:
    """Copy `x`: the minimum bytes that a function of `x` can move."""
    rest[-1].copy_(x)
