import torch


@torch.no_grad()
def online_softmax(x, block=256):
    lead = x.shape[:-1]
    m = torch.empty(lead, dtype=torch.float32, device=x.device).fill_(-torch.inf)
    d = torch.zeros(lead, dtype=torch.float32, device=x.device)
    fresh = torch.empty_like(m)
    scale = torch.empty_like(m)
    position = 0
    while position < x.shape[-1]:
        stop = min(position + block, x.shape[-1])
        work = x[..., position:stop].to(torch.float32, copy=True)
        torch.amax(work, dim=-1, out=fresh)
        torch.maximum(fresh, m, out=fresh)
        seen = fresh > -torch.inf
        torch.sub(m, fresh, out=scale).exp_()
        scale[~seen] = 0.0
        work.sub_(torch.where(seen, fresh, 0.0).unsqueeze(-1)).exp_()
        d.mul_(scale).add_(work.sum(dim=-1))
        m.copy_(fresh)
        position = stop
    empty = m == -torch.inf
    m[empty] = 0.0
    d[empty] = 1.0
    result = x.to(torch.float32, copy=True)
    result.sub_(m.unsqueeze(-1)).exp_().div_(d.unsqueeze(-1))
    return result.to(x.dtype)
