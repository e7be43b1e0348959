import torch

LOG2E = 1.4426950408889634


def online_softmax(x, block=256):
    def tile(k):
        return x[..., k * block : (k + 1) * block].float()

    tiles = (x.shape[-1] + block - 1) // block
    anchor = tile(0).amax(dim=-1, keepdim=True)
    acc = exp2_below(tile(0), anchor).sum(dim=-1, keepdim=True)
    for k in range(1, tiles):
        t = tile(k)
        moved = torch.maximum(anchor, t.amax(dim=-1, keepdim=True))
        acc = acc * exp2_below(anchor, moved) + exp2_below(t, moved).sum(dim=-1, keepdim=True)
        anchor = moved
    parts = [exp2_below(tile(k), anchor) / torch.where(acc == 0, 1, acc) for k in range(tiles)]
    return torch.cat(parts, dim=-1).to(x.dtype)


def exp2_below(values, anchor):
    """2 to the power of (values - anchor) in units of log2; 0 where there is nothing yet."""
    difference = (values - anchor) * LOG2E
    return torch.where(values == -torch.inf, torch.zeros_like(difference), torch.exp2(difference))
