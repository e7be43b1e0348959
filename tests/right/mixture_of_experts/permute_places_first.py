"""Three launches: counts, places of all choices in a table, and a copy with a program for each token."""


### BEGIN SOLUTION mixture_of_experts.permute
@triton.jit
def _counts(ids, table, n, k, B: tl.constexpr, E: tl.constexpr):
    t = tl.program_id(0) * B + tl.arange(0, B)
    e = tl.arange(0, E)
    total = tl.zeros([E], tl.int32)
    for j in range(k):
        id = tl.load(ids + t * k + j, mask=t < n, other=E)
        total += tl.sum(tl.where(id[:, None] == e[None, :], 1, 0), 0)
    tl.store(table + tl.program_id(0) * E + e, total)


@triton.jit
def _places(ids, table, place, n, k, blocks, B: tl.constexpr, E: tl.constexpr):
    b = tl.program_id(0)
    e = tl.arange(0, E)
    base = tl.zeros([E], tl.int32)
    sums = tl.zeros([E], tl.int32)
    for other in range(blocks):
        row = tl.load(table + other * E + e)
        base = tl.where(other < b, base + row, base)
        sums = sums + row
    base += tl.cumsum(sums, 0) - sums
    # One token after the other: base is where the next row of each expert goes.
    for i in range(B):
        t = b * B + i
        if t < n:
            for j in range(k):
                id = tl.load(ids + t * k + j)
                hit = e == id
                tl.store(place + t * k + j, tl.sum(tl.where(hit, base, 0), 0))
                base = tl.where(hit, base + 1, base)


@triton.jit
def _copy(x, place, out, k, width, D: tl.constexpr):
    t = tl.program_id(0)
    for start in range(0, width, D):
        c = start + tl.arange(0, D)
        row = tl.load(x + t * width + c, mask=c < width)
        for j in range(k):
            at = tl.load(place + t * k + j)
            tl.store(out + at * width + c, row, mask=c < width)


def permute(x, experts, num_experts, out):
    n, width = x.shape
    k = experts.shape[1]
    B, E = 64, triton.next_power_of_2(num_experts)
    blocks = triton.cdiv(n, B)
    table = torch.empty((blocks, E), dtype=torch.int32, device=x.device)
    place = torch.empty_like(experts)
    _counts[(blocks,)](experts, table, n, k, B, E)
    _places[(blocks,)](experts, table, place, n, k, blocks, B, E)
    _copy[(n,)](x, place, out, k, width, D=256)


### END SOLUTION
