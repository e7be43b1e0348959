"""Registers a fake kernel that promises the shape of another operator.

fails: operator_python.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_python
@torch.library.register_fake("hotloop_softmax::forward")
def _(x):
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    return x.new_empty(x.shape[:1])


### END SOLUTION
