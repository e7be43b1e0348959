"""Turns the extents into integers, so that the graph is for one shape only.

fails: operator_python.exported
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_python
@torch.library.register_fake("hotloop_softmax::forward")
def _(x):
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    return x.new_empty([int(extent) for extent in x.shape])


### END SOLUTION
