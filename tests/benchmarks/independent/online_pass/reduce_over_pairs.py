from functools import reduce

import torch

NEGATIVE = -float("inf")


def summary(tile):
    top = tile.amax(-1)
    return top, torch.exp(tile - zero_if_empty(top)[..., None]).sum(-1)


def zero_if_empty(top):
    return torch.where(torch.isneginf(top), torch.zeros_like(top), top)


def joined(left, right):
    (a, p), (b, q) = left, right
    top = torch.maximum(a, b)
    base = zero_if_empty(top)
    return top, p * torch.exp(a - base) + q * torch.exp(b - base)


def online_softmax(x, block=256):
    tiles = (tile.float() for tile in x.split(block, dim=-1))
    top, mass = reduce(joined, map(summary, tiles))
    base = zero_if_empty(top)[..., None]
    divisor = torch.where(mass > 0, mass, torch.ones_like(mass))[..., None]
    outputs = [(torch.exp(t.float() - base) / divisor).to(x.dtype) for t in x.split(block, -1)]
    return torch.cat(outputs, dim=-1)
