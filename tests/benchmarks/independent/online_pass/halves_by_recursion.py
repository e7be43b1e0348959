import torch


def _statistics(x, lo, hi, block):
    if hi - lo <= block:
        part = x.narrow(-1, lo, hi - lo).float()
        m = part.amax(-1, keepdim=True)
        m = torch.clamp(m, min=-3.0e38)
        return m, torch.exp(part - m).sum(-1, keepdim=True)
    mid = (lo + hi) // 2
    m1, s1 = _statistics(x, lo, mid, block)
    m2, s2 = _statistics(x, mid, hi, block)
    m = torch.maximum(m1, m2)
    return m, s1 * torch.exp(m1 - m) + s2 * torch.exp(m2 - m)


def online_softmax(x, block=256):
    m, s = _statistics(x, 0, x.shape[-1], block)
    p = torch.exp(x.float() - m)
    p = torch.where(s > 0, p / s, torch.zeros((), device=x.device))
    return p.to(x.dtype)
