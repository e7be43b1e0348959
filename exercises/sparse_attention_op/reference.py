"""Gated block attention (paper.md) in plain PyTorch, as slow and as clear as it can be: task 1.

Everything that comes later is compared with it, by you. The judge compares with its own.
"""

import math

import torch


### TASK sparse_attention_op.reference
def kept(q, k, threshold, block, causal):
    """Which key block each query block keeps: bool [B, H, M, M]."""
    raise NotImplementedError("sparse_attention_op.reference")


def attention(q, k, v, threshold, block, causal):
    """The paper's output, in q's type: [B, H, N, D]."""
    raise NotImplementedError("sparse_attention_op.reference")
