"""Loops over batch, head and blocks, as the paper's text goes; one token's softmax at a time is a row of a block."""


### BEGIN SOLUTION sparse_attention_op.reference
from itertools import product


def _blocks(x, block):
    return x.float().split(block, dim=0)


def kept(q, k, threshold, block, causal):
    batch, heads, n, d = q.shape
    m = math.ceil(n / block)
    result = torch.zeros(batch, heads, m, m, dtype=torch.bool, device=q.device)
    for b, h in product(range(batch), range(heads)):
        pq = [part.mean(dim=0) for part in _blocks(q[b, h], block)]
        pk = [part.mean(dim=0) for part in _blocks(k[b, h], block)]
        for i, j in product(range(m), repeat=2):
            if causal and j > i:
                continue
            result[b, h, i, j] = torch.dot(pq[i], pk[j]) / d**0.5 >= threshold[h].float()
    return result


def attention(q, k, v, threshold, block, causal):
    out = torch.zeros_like(q, memory_format=torch.contiguous_format)
    chosen = kept(q, k, threshold, block, causal)
    place = torch.arange(q.shape[2], device=q.device)
    for b, h, i in product(*map(range, chosen.shape[:3])):
        rows = place[place // block == i]
        columns = place[chosen[b, h, i][place // block]]
        if not len(columns):
            continue
        scores = q[b, h, rows].float() @ k[b, h, columns].float().mT / q.shape[3] ** 0.5
        if causal:
            scores = scores.masked_fill(columns > rows[:, None], float("-inf"))
        shares = torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)
        out[b, h, rows] = (shares @ v[b, h, columns].float()).to(q.dtype)
    return out


### END SOLUTION
