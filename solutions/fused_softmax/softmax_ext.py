"""The operator as it was made for years: a C++ extension, and an autograd.Function around it."""

import functools
import tempfile
from pathlib import Path

import torch

SOURCE = Path(__file__).with_name("softmax_ext.cpp")


### BEGIN SOLUTION fused_softmax.operator_extension python
### STUB @functools.cache
### STUB def extension():
### STUB     """The module that torch.utils.cpp_extension.load makes of SOURCE; made once."""
### STUB     raise NotImplementedError("fused_softmax.operator_extension")
### STUB
### STUB
### STUB class Softmax(torch.autograd.Function):
### STUB     @staticmethod
### STUB     def forward(ctx, x):
### STUB         raise NotImplementedError("fused_softmax.operator_extension")
### STUB
### STUB     @staticmethod
### STUB     def backward(ctx, dy):
### STUB         raise NotImplementedError("fused_softmax.operator_extension")
@functools.cache
def extension():
    """The module that torch.utils.cpp_extension.load makes of SOURCE; made once."""
    from torch.utils import cpp_extension

    return cpp_extension.load(
        "softmax_ext",
        [str(SOURCE)],
        # Without a level of optimization `load` compiles at -O0. -march=native is for this CPU.
        extra_cflags=["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fopenmp"],
        build_directory=tempfile.mkdtemp(prefix="softmax_ext-"),
    )


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = extension().forward(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return extension().backward(y, dy)


### END SOLUTION


def softmax(x):
    """Softmax of each row. x: [rows, columns], float32, on the CPU."""
    return Softmax.apply(x)


def softmax_into(x, out):
    """The forward alone, as it is timed."""
    extension().forward_out(x, out)


def gradient(x, dy):
    """What autograd gives back for x when dy comes in."""
    x = x.detach().requires_grad_()
    return torch.autograd.grad(softmax(x), x, dy)[0]
