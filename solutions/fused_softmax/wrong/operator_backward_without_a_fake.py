"""Gives the backward no fake kernel: nothing asks for it until a compiler traces the gradient.

fails: operator_backward.compiled
"""

import torch


### BEGIN SOLUTION fused_softmax.operator_backward registration
def _keep_output(ctx, inputs, output):
    # The result is enough: the backward needs y, not x.
    ctx.save_for_backward(output)


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
