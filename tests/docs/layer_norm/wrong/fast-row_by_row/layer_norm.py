import torch


def layer_norm(x, out):
    for row, into in zip(x, out, strict=True):
        torch.sub(row, row.mean(), out=into)
        into.mul_(torch.rsqrt(into.square().mean() + 1e-5))
