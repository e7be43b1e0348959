"""Registers no fake kernel, so that a compiler does not know what comes out.

fails: operator_python.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_python
@torch.library.register_fake("hotloop_softmax::backward")
def _(y, dy):
    return y.new_empty(y.shape)


def _keep(ctx, inputs, output):
    # The result is enough: the backward needs y, not x.
    ctx.save_for_backward(output)


def _backward(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hotloop_softmax.backward(y, dy)


torch.library.register_autograd("hotloop_softmax::forward", _backward, setup_context=_keep)
### END SOLUTION
