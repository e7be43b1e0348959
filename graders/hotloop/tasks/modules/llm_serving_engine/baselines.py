"""The baseline of paged attention on a GPU: gather the pages, then PyTorch's attention.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention


def gathered(
    q: torch.Tensor,
    k_pool: torch.Tensor,
    v_pool: torch.Tensor,
    table: torch.Tensor,
    positions: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Attend with three passes over keys and values: read, write contiguously, read again.

    q, out: [sequences, heads, dim]. k_pool, v_pool: [blocks, size, kv_heads, dim]. table:
    [sequences, most blocks]. positions: [sequences], the last visible position.
    """
    size = k_pool.shape[1]
    places = torch.arange(table.shape[1] * size, device=q.device)
    visible = (places[None, :] <= positions[:, None])[:, None, None, :]
    k, v = (p[table.long()].flatten(1, 2).transpose(1, 2) for p in (k_pool, v_pool))
    attended = scaled_dot_product_attention(q[:, :, None], k, v, attn_mask=visible, enable_gqa=True)
    out.copy_(attended[:, :, 0])


def copy(q: torch.Tensor, k_pool: torch.Tensor, *rest: Any) -> None:
    """Copy the key pool, to measure the device's bandwidth."""
    del q
    rest[0].copy_(k_pool)
