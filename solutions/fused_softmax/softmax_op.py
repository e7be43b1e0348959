"""The operator in PyTorch: what the compiler and autograd must know of it beside its kernels."""

from pathlib import Path

import torch
from operator_trials import Trials

from hotloop.engines.simulate.extension import load

# Compiles for the GPU where there is one, for the simulator elsewhere: there the CPU is the device.
load(Path(__file__).with_name("softmax_op.cu"))


### BEGIN SOLUTION fused_softmax.operator_python
### STUB # Register a fake kernel for hotloop_softmax::forward: it says what comes out, and
### STUB # computes nothing.
@torch.library.register_fake("hotloop_softmax::forward")
def _(x):
    torch._check(x.dim() == 2, lambda: "softmax: x must have 2 dimensions")
    # Contiguous whatever the layout of x is, and with the shape of x whatever that is.
    return x.new_empty(x.shape)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward registration
### STUB # Register a fake kernel for hotloop_softmax::backward, the backward of forward with
### STUB # torch.library.register_autograd, and what should happen when backward is differentiated.
@torch.library.register_fake("hotloop_softmax::backward")
def _(y, dy):
    return y.new_empty(y.shape)


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


def softmax(x):
    """Softmax of each row. x: [rows, columns], float32."""
    return torch.ops.hotloop_softmax.forward(x)


def backward_into(y, dy, dx):
    """The backward's kernel alone, as it is timed on a GPU."""
    torch.ops.hotloop_softmax.backward_out(y, dy, dx)


trials = Trials(softmax)
gradient, second_gradient = trials.gradient, trials.second_gradient
compiled, compiled_gradient = trials.compiled, trials.compiled_gradient
exported = trials.exported
