"""Leaves the backward without a gradient of its own, which PyTorch then takes for zero.

fails: operator_backward.twice
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_backward registration
@torch.library.register_fake("hotloop_softmax::backward")
def _(y, dy):
    return y.new_empty(y.shape)


def _keep_output(ctx, inputs, output):
    # The result is enough: the backward needs y, not x.
    ctx.save_for_backward(output)


def _gradient(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hotloop_softmax.backward(y, dy)


torch.library.register_autograd("hotloop_softmax::forward", _gradient, setup_context=_keep_output)
### END SOLUTION
