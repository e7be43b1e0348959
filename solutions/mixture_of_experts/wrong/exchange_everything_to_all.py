"""Gathers all tokens on all ranks, and reduces all results.

fails: exchange.traffic
"""


### BEGIN SOLUTION mixture_of_experts.exchange
def exchange(x, experts, weights, per_rank, compute):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    sizes = torch.zeros(ranks, dtype=torch.int64)
    sizes[rank] = len(x)
    dist.all_reduce(sizes)
    counts = sizes.tolist()
    start = sum(counts[:rank])
    tables = []
    for table in (x, experts, weights):
        whole = table.new_zeros(sum(counts), table.shape[1])
        whole[start : start + len(x)] = table
        dist.all_reduce(whole)
        tables.append(whole)
    rows, ids, shares = tables
    total = torch.zeros_like(rows)
    for expert in range(per_rank):
        token, slot = (ids == rank * per_rank + expert).nonzero(as_tuple=True)
        if len(token):
            total[token] += shares[token, slot, None] * compute(expert, rows[token])
    dist.all_reduce(total)
    return total[start : start + len(x)]


### END SOLUTION
