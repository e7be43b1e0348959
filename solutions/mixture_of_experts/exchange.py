"""The expert-parallel layer of one rank. All ranks call `exchange` at the same time, over gloo.

Here four processes on one machine stand for GPUs; with "nccl" nothing in this file changes but the
device of the tensors.
"""

import torch
import torch.distributed as dist


### BEGIN SOLUTION mixture_of_experts.exchange
### STUB def exchange(x, experts, weights, per_rank, compute):
### STUB     """Return the weighted sum of each token's experts, [tokens, width].
### STUB
### STUB     x: [tokens, width], float32. experts, weights: [tokens, k]. Expert e lies on rank
### STUB     e // per_rank. compute(i, rows) returns what this rank's expert i makes of rows.
### STUB     """
### STUB     raise NotImplementedError("mixture_of_experts.exchange")
def sent(rows, counts, back):
    """Send each rank its part of `rows`; return what the others send to this one."""
    out = rows.new_empty((sum(back), *rows.shape[1:]))
    dist.all_to_all_single(out, rows.contiguous(), back, counts)
    return out


def exchange(x, experts, weights, per_rank, compute):
    """Return the weighted sum of each token's experts, [tokens, width].

    x: [tokens, width], float32. experts, weights: [tokens, k]. Expert e lies on rank
    e // per_rank. compute(i, rows) returns what this rank's expert i makes of rows.
    """
    ranks = dist.get_world_size()
    # The weight of each local expert for each token and rank; 0 where it was not chosen.
    shares = x.new_zeros(len(x), ranks * per_rank).scatter_(1, experts, weights)
    shares = shares.view(len(x), ranks, per_rank)
    chosen = torch.zeros(len(x), ranks, dtype=torch.bool).scatter_(1, experts // per_rank, True)
    # A token goes to a rank once, however many of its experts lie there.
    rank, token = chosen.T.nonzero(as_tuple=True)
    counts = torch.bincount(rank, minlength=ranks)
    others = torch.empty_like(counts)
    dist.all_to_all_single(others, counts)
    there, here = counts.tolist(), others.tolist()
    rows = sent(x[token], there, here)
    share = sent(shares[token, rank], there, here)
    # What comes back is a sum over the experts of a rank: a row again, and not one for each expert.
    partial = torch.zeros_like(rows)
    for expert in range(per_rank):
        mine = share[:, expert].nonzero(as_tuple=True)[0]
        if len(mine):
            partial[mine] += share[mine, expert, None] * compute(expert, rows[mine])
    return torch.zeros_like(x).index_add_(0, token, sent(partial, here, there))


### END SOLUTION
