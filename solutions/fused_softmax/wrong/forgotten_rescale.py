"""Keeps the old sum as it is when the maximum grows, although it was made with the old maximum.

fails: online_pass.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    maximum = torch.full(x.shape[:-1], -torch.inf, device=x.device)
    total = torch.zeros_like(maximum)
    shift = torch.zeros_like(maximum)
    for part in x.split(block, dim=-1):
        values = part.float()
        maximum = torch.maximum(maximum, values.amax(dim=-1))
        shift = torch.where(maximum == -torch.inf, 0.0, maximum)
        total += torch.exp(values - shift[..., None]).sum(dim=-1)
    total = torch.where(total == 0, 1.0, total)
    return (torch.exp(x.float() - shift[..., None]) / total[..., None]).to(x.dtype)


### END SOLUTION
