"""Attention by tiles, in PyTorch: the scores of a tile live in the cache and nowhere else."""

import math
from itertools import pairwise

import torch

### TASK transformer_compilation.tiled_attention
def attention(q, k, v, causal, cap, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    raise NotImplementedError("transformer_compilation.tiled_attention")
