"""Promises the layout of its input, though what comes out is always contiguous.

fails: operator_python.exported
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_python
@torch.library.register_fake("hotloop_softmax::forward")
def _(x):
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    return torch.empty_like(x)


### END SOLUTION
