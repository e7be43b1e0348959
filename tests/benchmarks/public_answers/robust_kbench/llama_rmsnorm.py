"""The gradients of an RMS norm over the last dimension."""

import torch


def backward_fn(out_gradient, x, weight, eps):
    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    normal = x * scale
    inner = out_gradient * weight
    of_x = scale * (inner - normal * (inner * normal).mean(-1, keepdim=True))
    return of_x, (out_gradient * normal).flatten(0, -2).sum(0)
