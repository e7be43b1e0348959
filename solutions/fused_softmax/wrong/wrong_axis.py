"""Walks over the first dimension instead of the last one.

fails: online_pass.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    maximum = torch.full(x.shape[1:], -torch.inf, device=x.device)
    total = torch.zeros_like(maximum)
    shift = torch.zeros_like(maximum)
    for part in x.split(block, dim=0):
        values = part.float()
        new_maximum = torch.maximum(maximum, values.amax(dim=0))
        shift = torch.where(new_maximum == -torch.inf, 0.0, new_maximum)
        total = total * torch.exp(maximum - shift) + torch.exp(values - shift).sum(dim=0)
        maximum = new_maximum
    total = torch.where(total == 0, 1.0, total)
    return (torch.exp(x.float() - shift) / total).to(x.dtype)


### END SOLUTION
