"""One program for each expert: it walks over all choices and gathers its own rows in order."""


### BEGIN SOLUTION mixture_of_experts.permute
@triton.jit
def _totals(ids_ptr, totals_ptr, size, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    total = 0
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        ids = tl.load(ids_ptr + at, mask=at < size, other=-1)
        total += tl.sum((ids == expert).to(tl.int32))
    tl.store(totals_ptr + expert, total)


@triton.jit
def _sources(ids_ptr, totals_ptr, places_ptr, size, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    place = 0
    for other in range(expert):
        place += tl.load(totals_ptr + other)
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mine = tl.load(ids_ptr + at, mask=at < size, other=-1) == expert
        rank = tl.cumsum(mine.to(tl.int32), axis=0) - 1
        tl.store(places_ptr + at, place + rank, mask=mine)
        place += tl.sum(mine.to(tl.int32))


@triton.jit
def _rows(x_ptr, places_ptr, out_ptr, count, k, width, T: tl.constexpr, D: tl.constexpr):
    tokens = tl.program_id(0) * T + tl.arange(0, T)
    columns = tl.program_id(1) * D + tl.arange(0, D)
    mask = (tokens[:, None] < count) & (columns[None, :] < width)
    rows = tl.load(x_ptr + tokens[:, None] * width + columns[None, :], mask=mask)
    for slot in range(k):
        place = tl.load(places_ptr + tokens * k + slot, mask=tokens < count)
        tl.store(out_ptr + place[:, None] * width + columns[None, :], rows, mask=mask)


def permute(
    x: torch.Tensor, experts: torch.Tensor, num_experts: int, out: torch.Tensor
) -> None:
    (count, width), k = x.shape, experts.shape[1]
    totals = torch.empty(num_experts, dtype=torch.int32, device=x.device)
    places = torch.empty(experts.numel(), dtype=torch.int32, device=x.device)
    _totals[(num_experts,)](experts, totals, experts.numel(), BLOCK=256)
    _sources[(num_experts,)](experts, totals, places, experts.numel(), BLOCK=256)
    grid = (triton.cdiv(count, 16), triton.cdiv(width, 64))
    _rows[grid](x, places, out, count, k, width, T=16, D=64)


### END SOLUTION
