"""The research team's own code, as it came: an autograd.Function. Given; do not edit.

It is right. Its export is not.
"""

import math

import torch


class Legacy(torch.autograd.Function):
    """The blocks are chosen on the host, because that was quicker to write."""

    @staticmethod
    def forward(ctx, q, k, v, threshold, block, causal):
        n, depth = q.shape[2], q.shape[3]
        parts = range(0, n, block)
        means = [torch.stack([x[:, :, i : i + block].mean(2) for i in parts], 2) for x in (q, k)]
        gate = means[0] @ means[1].transpose(-1, -2) / math.sqrt(depth)
        kept = torch.tensor((gate >= threshold[:, None, None]).tolist())
        allowed = kept.repeat_interleave(block, -2).repeat_interleave(block, -1)[..., :n, :n]
        if causal:
            allowed = allowed.tril()
        scores = (q @ k.transpose(-1, -2) / math.sqrt(depth)).masked_fill(~allowed, -1e30)
        shares = torch.softmax(scores, -1) * allowed
        ctx.save_for_backward(q, k, v, shares)
        return shares @ v

    @staticmethod
    def backward(ctx, grad):
        q, k, v, shares = ctx.saved_tensors
        of_shares = grad @ v.transpose(-1, -2)
        inner = (of_shares * shares).sum(-1, keepdim=True)
        of_scores = shares * (of_shares - inner) / math.sqrt(q.shape[-1])
        dq, dk = of_scores @ k, of_scores.transpose(-1, -2) @ q
        return dq, dk, shares.transpose(-1, -2) @ grad, None, None, None


class LegacyLayer(torch.nn.Module):
    """The team's layer."""

    def __init__(self, block, causal):
        super().__init__()
        self.block, self.causal = block, causal

    def forward(self, q, k, v, threshold):
        return Legacy.apply(q, k, v, threshold, self.block, self.causal)
