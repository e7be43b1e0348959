"""What the proofs share: the module's own code, inputs, and quiet."""

from __future__ import annotations

import logging
import sys
import warnings

import torch

from hotloop.core import paths

sys.path += paths.beside_notebook("sparse_attention_op")
import reference  # noqa: F401 - proofs take it from here

warnings.filterwarnings("ignore")
for name in ("torch.onnx", "torch._dynamo", "torch.export", "onnxscript", "onnx_ir"):
    logging.getLogger(name).setLevel(logging.CRITICAL)
torch.set_num_threads(1)


def inputs(
    length: int, block: int = 16, heads: int = 2, depth: int = 32, seed: int = 0
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """q, k, v whose tokens resemble those of their block, and a threshold for each head."""
    draws = torch.Generator().manual_seed(seed)
    blocks = -(-length // block)
    centers = torch.randn(2, 1, heads, blocks, depth, generator=draws)
    near = 0.5 * torch.randn(2, 1, heads, length, depth, generator=draws)
    q, k = centers.repeat_interleave(block, -2)[..., :length, :] + near
    v = torch.randn(1, heads, length, depth, generator=draws)
    return q, k, v, torch.full((heads,), 1.0)
