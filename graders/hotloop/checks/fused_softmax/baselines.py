"""Baselines of the module fused_softmax: softmax as it is often written first, in eager PyTorch.

Runs in a worker, never in the judge. Destination style: the last argument is filled.
"""

from __future__ import annotations

from typing import Any

import torch


def five_ops(x: torch.Tensor, out: torch.Tensor) -> None:
    """Softmax of each row as five operations; every line reads and writes memory.

    x, out: [rows, columns], floating. Five reads and three writes of the tensor: 8·s bytes an
    element of s bytes.
    """
    maximum = x.amax(dim=-1, keepdim=True)
    shifted = x - maximum
    weights = torch.exp(shifted)
    total = weights.sum(dim=-1, keepdim=True)
    torch.div(weights, total, out=out)


def scale_mask_softmax(
    x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor
) -> None:
    """Scale, mask and softmax of each row as three operations, the last of them fused in PyTorch.

    x, out: [rows, columns], floating. mask: same shape, bool, true means keep; no row without one.
    Three reads and three writes of the tensor, the mask inverted and read: 6·s + 3 bytes an
    element of s bytes.
    """
    scores = x * scale
    scores = scores.masked_fill(~mask, -torch.inf)
    torch.softmax(scores, dim=-1, out=out)


def library_softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """What torch.nn.functional.softmax calls: one fused kernel of PyTorch's own.

    x, out: [rows, columns], floating. On a row without a finite element it gives NaN.
    """
    torch.softmax(x, dim=-1, out=out)


def softmax_backward(y: torch.Tensor, dy: torch.Tensor, dx: torch.Tensor) -> None:
    """What autograd calls for torch.softmax: dx = y · (dy − Σ y · dy), in PyTorch's own kernels.

    y, dy, dx: [rows, columns], float32. y is the forward's result.
    """
    torch.ops.aten._softmax_backward_data.out(dy, y, -1, y.dtype, grad_input=dx)


def copy(x: torch.Tensor, *rest: Any) -> None:
    """Copy `x` to the last argument: the fewest bytes that a function of `x` can move."""
    rest[-1].copy_(x)
