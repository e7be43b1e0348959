"""Sums exponentials without subtracting the maximum: exp of a large number is infinite.

fails: online_pass.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    total = torch.zeros(x.shape[:-1], device=x.device)
    for part in x.split(block, dim=-1):
        total += torch.exp(part.float()).sum(dim=-1)
    total = torch.where(total == 0, 1.0, total)
    return (torch.exp(x.float()) / total[..., None]).to(x.dtype)


### END SOLUTION
