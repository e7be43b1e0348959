"""The operator as it was made for years: a C++ extension, and an autograd.Function around it."""

import functools
import tempfile
from pathlib import Path

import torch

SOURCE = Path(__file__).with_name("softmax_ext.cpp")


### TASK fused_softmax.operator_extension python
@functools.cache
def extension():
    """The module that torch.utils.cpp_extension.load makes of SOURCE; made once."""
    raise NotImplementedError("fused_softmax.operator_extension")


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        raise NotImplementedError("fused_softmax.operator_extension")

    @staticmethod
    def backward(ctx, dy):
        raise NotImplementedError("fused_softmax.operator_extension")


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
