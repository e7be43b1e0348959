"""Writes a fake kernel and does not register it, so that a compiler does not know what comes out.

fails: operator_python.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_python
def fake_forward(x):
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    return x.new_empty(x.shape)


### END SOLUTION
