"""The gradients of a layer norm over the last dimensions."""

import torch


def backward_fn(out_gradient, x, weight, _bias, eps, shape):
    dims = tuple(range(x.dim() - len(shape), x.dim()))
    mean = x.mean(dims, keepdim=True)
    scale = torch.rsqrt((x - mean).square().mean(dims, keepdim=True) + eps)
    normal = (x - mean) * scale
    inner = out_gradient * weight
    along = (inner * normal).mean(dims, keepdim=True)
    of_x = scale * (inner - inner.mean(dims, keepdim=True) - normal * along)
    batch = tuple(range(x.dim() - len(shape)))
    return of_x, (out_gradient * normal).sum(batch), out_gradient.sum(batch)
