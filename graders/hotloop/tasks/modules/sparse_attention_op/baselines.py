"""Baselines of sparse_attention_op: dense attention, and FlexAttention with the same kept blocks.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import torch
from torch.nn.attention.flex_attention import BlockMask, flex_attention
from torch.nn.functional import scaled_dot_product_attention


def dense(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    kept: torch.Tensor,
    block: int,
    causal: bool,
    out: torch.Tensor,
) -> None:
    """Attend without the block mask: another result, at the speed of PyTorch's dense attention."""
    del kept, block
    out.copy_(scaled_dot_product_attention(q, k, v, is_causal=causal))


def flex(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    kept: torch.Tensor,
    block: int,
    causal: bool,
    out: torch.Tensor,
) -> None:
    """Attend to the kept blocks only. `block` must divide the length, and `causal` is ignored."""
    del causal
    counts = kept.sum(-1, dtype=torch.int32)
    columns = kept.to(torch.uint8).argsort(dim=-1, descending=True, stable=True).to(torch.int32)
    # The second pair lists full blocks; the first pair lists blocks that need a mask_mod. The two
    # pairs must be different tensors: passing one twice breaks the code generated for the CPU.
    mask = BlockMask.from_kv_blocks(
        torch.zeros_like(counts),
        torch.zeros_like(columns),
        counts,
        columns,
        BLOCK_SIZE=block,
        seq_lengths=(q.shape[-2], k.shape[-2]),
        compute_q_blocks=False,  # for a gradient only
    )
    options: Any = {"BLOCK_M": block, "BLOCK_N": block} if q.is_cuda else None
    out.copy_(_compiled()(q, k, v, block_mask=mask, kernel_options=options))


@cache
def _compiled() -> Any:
    return cast(Any, torch).compile(flex_attention, dynamic=False)
