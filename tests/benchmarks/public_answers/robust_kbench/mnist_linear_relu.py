"""The gradients of a linear layer with relu."""

import torch


def backward_fn(out_gradient, x, weight, bias):
    inner = out_gradient * (torch.nn.functional.linear(x, weight, bias) > 0)
    rows = inner.flatten(0, -2)
    return inner @ weight, torch.mm(rows.t(), x.flatten(0, -2)), rows.sum(0)
