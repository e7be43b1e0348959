"""The block by @triton.heuristics, padding turned into weights of a float, and infinities selected away."""


### BEGIN SOLUTION triton_ensemble.pool_on_gpu kernel
@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["width"])})
@triton.jit
def _pooled(
    hidden_ptr, mask_ptr, out_ptr, length, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(axis=0).to(tl.int64)
    mask_ptr += row * length
    hidden_ptr += row * length * width
    d = tl.arange(0, BLOCK)
    t = tl.arange(0, TOKENS)
    total = tl.zeros((TOKENS, BLOCK), tl.float32)
    for first in tl.range(0, length, TOKENS):
        token = tl.load(mask_ptr + first + t, mask=first + t < length, other=0).to(tl.int1)
        wanted = token[:, None] & (d < width)[None, :]
        x = tl.load(hidden_ptr + (first + t)[:, None] * width + d[None, :], mask=wanted, other=0.0)
        total = tl.where(wanted, total + x.to(tl.float32), total)
    pooled = tl.sum(total, axis=0)
    norm = tl.sqrt(tl.sum(pooled * pooled))
    pooled = tl.where(norm > 0, pooled / tl.where(norm > 0, norm, 1.0), 0.0)
    tl.store(out_ptr + row * width + d, pooled, mask=d < width)


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.pool_on_gpu launch
def pool(hidden, mask, out):
    rows, length, width = hidden.shape
    _pooled[(rows,)](hidden, mask, out, length, width, TOKENS=4)


### END SOLUTION
