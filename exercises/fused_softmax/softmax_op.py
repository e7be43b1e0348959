"""The operator in PyTorch: what the compiler and autograd must know of it beside its kernels."""

from pathlib import Path

import torch
from operator_trials import Trials

from hotloop.engines.simulate.extension import load

# Compiles for the GPU where there is one, for the simulator elsewhere: there the CPU is the device.
load(Path(__file__).with_name("softmax_op.cu"))


### TASK fused_softmax.operator_python
# Register a fake kernel for hotloop_softmax::forward: it says what comes out, and
# computes nothing.


### TASK fused_softmax.operator_backward registration
# Register a fake kernel for hotloop_softmax::backward, the backward of forward with
# torch.library.register_autograd, and what should happen when backward is differentiated.


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
