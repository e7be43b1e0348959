"""Looks for NaN between the steps with .item(): each look splits the graph, and nothing is fused.

fails: compiled_chain.fast_cpu
"""

import torch


### BEGIN SOLUTION fused_softmax.compiled_chain
def _require_numbers(t):
    if torch.isnan(t).any().item():
        raise ValueError("NaN")


@torch.compile
def softmax(x, out):
    m = x.amax(dim=-1, keepdim=True)
    e = torch.exp(x - m)
    _require_numbers(e)
    d = e.sum(dim=-1, keepdim=True)
    out.copy_(e / d)
    _require_numbers(out)


### END SOLUTION
