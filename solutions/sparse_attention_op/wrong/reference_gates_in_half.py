"""Takes the means of float16 numbers, also of float32 ones.

fails: reference.mask
"""

import math

import torch


### BEGIN SOLUTION sparse_attention_op.reference
def kept(q, k, threshold, block, causal):
    """Which key block each query block keeps: bool [B, H, M, M]."""
    gate = _means(q, block) @ _means(k, block).transpose(-1, -2) / math.sqrt(q.shape[-1])
    chosen = gate >= threshold.float()[:, None, None]
    return chosen.tril() if causal else chosen


def attention(q, k, v, threshold, block, causal):
    """The paper's output, in q's type: [B, H, N, D]."""
    allowed = tokens(kept(q, k, threshold, block, causal), q.shape[2], block, causal)
    return dense(q, k, v, allowed)


def tokens(blocks, n, block, causal):
    """Which token attends to which: bool [B, H, N, N]."""
    allowed = blocks.repeat_interleave(block, -2).repeat_interleave(block, -1)[..., :n, :n]
    return allowed.tril() if causal else allowed


def dense(q, k, v, allowed):
    """Attention under a mask of tokens; 0 where a token attends to nothing."""
    scores = q.float() @ k.float().transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(~allowed, -math.inf)
    # A row without any token would be −inf − (−inf). Zeros there, before the softmax and after.
    anybody = allowed.any(-1, keepdim=True)
    shares = torch.softmax(scores.masked_fill(~anybody, 0.0), -1) * anybody
    return (shares @ v.float()).to(q.dtype)


def _means(x, block):
    """The mean of each block's own tokens: float32 [B, H, M, D]."""
    n, blocks = x.shape[2], -(-x.shape[2] // block)
    padded = torch.nn.functional.pad(x.half().float(), (0, 0, 0, blocks * block - n))
    sums = padded.unflatten(2, (blocks, block)).sum(3)
    sizes = torch.full((blocks,), block, device=x.device)
    sizes[-1] = n - (blocks - 1) * block
    return sums / sizes[:, None]


### END SOLUTION
