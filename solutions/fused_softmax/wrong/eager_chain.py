"""Runs the five operations one by one: right, but each still goes through memory.

fails: compiled_chain.fast_cpu
"""

import torch


### BEGIN SOLUTION fused_softmax.compiled_chain
def softmax(x, out):
    m = x.amax(dim=-1, keepdim=True)
    s = x - m
    e = torch.exp(s)
    d = e.sum(dim=-1, keepdim=True)
    out.copy_(e / d)


### END SOLUTION
