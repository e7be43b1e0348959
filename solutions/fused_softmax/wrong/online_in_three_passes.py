"""Takes all blocks' maxima first and their sums in a second loop: the row is read three times.

fails: online_pass.one_pass
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    maximum = torch.full(x.shape[:-1], -torch.inf, device=x.device)
    for part in x.split(block, dim=-1):
        maximum = torch.maximum(maximum, part.float().amax(dim=-1))
    shift = torch.where(maximum == -torch.inf, 0.0, maximum)
    total = torch.zeros_like(shift)
    for part in x.split(block, dim=-1):
        total += torch.exp(part.float() - shift[..., None]).sum(dim=-1)
    total = torch.where(total == 0, 1.0, total)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for part, result in zip(x.split(block, dim=-1), out.split(block, dim=-1), strict=True):
        result.copy_(torch.exp(part.float() - shift[..., None]) / total[..., None])
    return out


### END SOLUTION
