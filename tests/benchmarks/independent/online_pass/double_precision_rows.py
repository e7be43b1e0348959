import torch


def online_softmax(x, block=256):
    rows = x.reshape(-1, x.shape[-1])
    answer = torch.zeros(rows.shape, dtype=x.dtype, device=x.device)
    maxima, sums = one_pass(rows, block)
    alive = torch.isfinite(maxima).nonzero().squeeze(1)
    if alive.numel():
        shifted = rows[alive].double() - maxima[alive, None]
        answer[alive] = (shifted.exp() / sums[alive, None]).to(x.dtype)
    return answer.reshape(x.shape)


def one_pass(rows, block):
    maxima = torch.full((rows.shape[0],), float("-inf"), dtype=torch.double, device=rows.device)
    sums = torch.zeros_like(maxima)
    for tile in rows.split(block, dim=1):
        tile = tile.double()
        grown = torch.stack([maxima, tile.max(dim=1).values]).max(dim=0).values
        alive = grown > float("-inf")
        correction = torch.where(alive, (maxima - grown).exp(), 0.0)
        terms = torch.where(alive[:, None], (tile - grown[:, None]).exp(), 0.0)
        sums = correction * sums + terms.sum(dim=1)
        maxima = grown
    return maxima, sums
