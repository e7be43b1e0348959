"""Keeps x for the backward where the result is needed.

fails: operator_backward.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_backward registration
@torch.library.register_fake("hotloop_softmax::backward")
def _(y, dy):
    return y.new_empty(y.shape)


def _keep_output(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradient(ctx, dy):
    (y,) = ctx.saved_tensors
    return torch.ops.hotloop_softmax.backward(y, dy)


def _keep_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradient_of_gradient(ctx, g):
    """Of dx = y · (dy − Σ y·dy), which is linear in dy. Without it PyTorch warns and takes 0."""
    y, dy = ctx.saved_tensors
    for_y = g * (dy - (y * dy).sum(-1, keepdim=True)) - dy * (y * g).sum(-1, keepdim=True)
    return for_y, torch.ops.hotloop_softmax.backward(y, g)


torch.library.register_autograd("hotloop_softmax::forward", _gradient, setup_context=_keep_output)
torch.library.register_autograd(
    "hotloop_softmax::backward", _gradient_of_gradient, setup_context=_keep_inputs
)
### END SOLUTION
