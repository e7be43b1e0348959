"""Baselines of module fused_softmax: naive softmax in eager PyTorch, and PyTorch's own kernels.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

from typing import Any, cast

import torch


def five_ops(x: torch.Tensor, out: torch.Tensor) -> None:
    """Softmax of each row as five operations; every line reads and writes memory.

    x, out: [rows, columns], floating. Five reads and three writes of the tensor: 8·s bytes per
    element of s bytes.
    """
    maximum = x.amax(dim=-1, keepdim=True)
    shifted = x - maximum
    weights = torch.exp(shifted)
    total = weights.sum(dim=-1, keepdim=True)
    torch.div(weights, total, out=out)


def compiled_five_ops(x: torch.Tensor, out: torch.Tensor) -> None:
    """Call `five_ops` compiled for any number of columns.

    x, out: [rows, columns], floating.
    """
    _compiled(x, out)


_compiled: Any = cast(Any, torch).compile(five_ops, dynamic=True)
"""Compiles at its first call."""


def scale_mask_softmax(
    x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor
) -> None:
    """Scale, mask and softmax of each row as three operations, the last one fused by PyTorch.

    x, out: [rows, columns], floating. mask: same shape, bool, True means keep; every row keeps an
    element. Three reads and three writes of the tensor, and the mask inverted and read: 6·s + 3
    bytes per element of s bytes.
    """
    scores = x * scale
    scores = scores.masked_fill(~mask, -torch.inf)
    torch.softmax(scores, dim=-1, out=out)


def library_softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Call torch.softmax, one fused kernel, as torch.nn.functional.softmax does.

    x, out: [rows, columns], floating. A row without a finite element gives NaN.
    """
    torch.softmax(x, dim=-1, out=out)


def softmax_backward(y: torch.Tensor, dy: torch.Tensor, dx: torch.Tensor) -> None:
    """Call what autograd uses for torch.softmax: dx = y · (dy − Σ y · dy).

    y, dy, dx: [rows, columns], float32. y is the forward's result.
    """
    torch.ops.aten._softmax_backward_data.out(dy, y, -1, y.dtype, grad_input=dx)


def copy(x: torch.Tensor, *rest: Any) -> None:
    """Copy `x` to the last argument: the minimum bytes that a function of `x` can move."""
    rest[-1].copy_(x)
