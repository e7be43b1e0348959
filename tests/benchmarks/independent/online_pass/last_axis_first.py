import torch


def online_softmax(x, block=256):
    columns = x.movedim(-1, 0)
    best = torch.full_like(columns[0], -torch.inf, dtype=torch.float32)
    weight = torch.zeros_like(best)
    for group in torch.chunk(columns, max(1, -(-len(columns) // block))):
        group = group.float()
        now = torch.maximum(best, group.amax(0))
        guard = now.nan_to_num(neginf=0.0)
        weight = weight * (best - guard).exp() + (group - guard).exp().sum(0)
        best = now
    guard = best.nan_to_num(neginf=0.0)
    inverse = weight.reciprocal().nan_to_num(posinf=0.0)
    return ((columns.float() - guard).exp() * inverse).movedim(0, -1).to(x.dtype).contiguous()
