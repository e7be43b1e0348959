import math

import torch


def online_softmax(x, block=256):
    n = x.shape[-1]
    m = torch.full((*x.shape[:-1], 1), -math.inf, dtype=torch.float32, device=x.device)
    s = torch.zeros_like(m)
    for start in range(0, n, block):
        chunk = x[..., start : start + block].to(torch.float32)
        local = chunk.max(dim=-1, keepdim=True).values
        bigger = torch.maximum(m, local)
        safe = bigger.masked_fill(bigger == -math.inf, 0)
        s = s * (m - safe).exp() + (chunk - safe).exp().sum(-1, keepdim=True)
        m = bigger
    safe = m.masked_fill(m == -math.inf, 0)
    s = s.masked_fill(s == 0, 1)
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    for start in range(0, n, block):
        end = min(n, start + block)
        y[..., start:end] = ((x[..., start:end].float() - safe).exp() / s).to(x.dtype)
    return y
