"""Keeps the running sum in the dtype of x: float16 overflows, and bfloat16 swallows small terms.

fails: online_pass.correct
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    maximum = torch.full(x.shape[:-1], -torch.inf, dtype=x.dtype, device=x.device)
    total = torch.zeros_like(maximum)
    shift = torch.zeros_like(maximum)
    for part in x.split(block, dim=-1):
        new_maximum = torch.maximum(maximum, part.amax(dim=-1))
        shift = torch.where(new_maximum == -torch.inf, 0.0, new_maximum)
        total = total * torch.exp(maximum - shift)
        total += torch.exp(part - shift[..., None]).sum(dim=-1)
        maximum = new_maximum
    total = torch.where(total == 0, 1.0, total)
    return torch.exp(x - shift[..., None]) / total[..., None]


### END SOLUTION
