"""Is one operation a line, in other words: one tile that holds all scores.

fails: tiled_attention.fast_cpu
"""

import math

import torch


### BEGIN SOLUTION transformer_compilation.tiled_attention
def attention(q, k, v, causal, cap, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[2])
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if causal:
        hidden = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=q.device)
        hidden = hidden.triu(k.shape[1] - q.shape[1] + 1)
        scores = scores.masked_fill(hidden, -torch.inf)
    highest = scores.amax(-1, keepdim=True)
    weights = torch.exp(scores - torch.where(highest == -torch.inf, 0.0, highest))
    total = weights.sum(-1, keepdim=True)
    torch.matmul(weights / torch.where(total == 0, 1.0, total), v, out=out)


### END SOLUTION
