"""Baselines of transformer_compilation: naive attention, and PyTorch's fused attention.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

import math
from typing import Any

import torch


def capped(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, cap: float, out: torch.Tensor
) -> None:
    """Attend with one operation per line; all scores of all heads are in memory several times."""
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if causal:
        scores = scores.masked_fill(hidden(q, k), -torch.inf)
    torch.matmul(torch.softmax(scores, dim=-1), v, out=out)


def fused(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool, out: torch.Tensor
) -> None:
    """Attend with PyTorch's fused kernel, with a scale and without a cap, then copy to `out`.

    Needs as many keys as queries.
    """
    attended = torch.nn.functional.scaled_dot_product_attention(
        q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), is_causal=causal, scale=scale
    )
    out.copy_(attended.squeeze(0))


def fused_gradients(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dout: torch.Tensor,
    scale: float,
    causal: bool,
    out: torch.Tensor,
) -> None:
    """Fill `out` with the gradients of q, k and v, concatenated on axis 1.

    PyTorch's forward and backward take one or two kernels each.
    """
    q, k, v = (x.detach().unsqueeze(0).requires_grad_() for x in (q, k, v))
    attended = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=causal, scale=scale
    )
    gradients = torch.autograd.grad(attended, (q, k, v), dout.unsqueeze(0))
    torch.cat([gradient.squeeze(0) for gradient in gradients], dim=1, out=out)


def hidden(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Return which keys each query must not see, bool [queries, keys]."""
    queries, keys = q.shape[-2], k.shape[-2]
    return torch.ones(queries, keys, dtype=torch.bool, device=q.device).triu(keys - queries + 1)


def copy(x: torch.Tensor, *rest: Any) -> None:
    """Copy `x` to the last argument."""
    rest[-1].copy_(x)
