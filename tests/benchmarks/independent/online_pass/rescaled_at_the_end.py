import torch


def online_softmax(x, block=256):
    """Exponentials are kept with the maximum that was known then, and mended afterwards."""
    kept = []
    known = None
    total = None
    for chunk in torch.split(x, block, -1):
        chunk = chunk.to(dtype=torch.float)
        highest = chunk.max(-1, True)[0]
        if known is not None:
            highest = torch.maximum(highest, known)
        usable = torch.where(torch.isinf(highest) & (highest < 0), 0, highest)
        e = torch.exp(chunk - usable)
        kept.append((e, usable))
        subtotal = e.sum(-1, True)
        total = subtotal if total is None else total * torch.exp(known - usable) + subtotal
        known = highest
    last = kept[-1][1]
    total = total + (total == 0)
    factors = [torch.exp(torch.clamp(then - last, max=0)) for _, then in kept]
    # A block in front of which nothing but -inf was seen has zeros only.
    mended = [torch.where(e == 0, e, e * f) / total for (e, _), f in zip(kept, factors)]
    return torch.cat(mended, -1).type_as(x)
