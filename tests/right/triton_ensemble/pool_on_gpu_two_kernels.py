"""The width in tiles of columns, with the sum of squares added up over tiles."""


### BEGIN SOLUTION triton_ensemble.pool_on_gpu kernel
@triton.jit
def _sums(hidden_ptr, mask_ptr, sum_ptr, length, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    t = tl.arange(0, TOKENS)
    total = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((TOKENS,), tl.float32)
    for first in tl.range(0, length, TOKENS):
        is_token = tl.load(mask_ptr + row * length + first + t, mask=first + t < length, other=0)
        at = hidden_ptr + (row * length + first + t)[:, None] * width + columns[None, :]
        x = tl.load(at, mask=(is_token[:, None] != 0) & (columns < width)[None, :], other=0)
        total += tl.sum(x.to(tl.float32), 0)
        count += is_token.to(tl.float32)
    mean = total / tl.maximum(tl.sum(count), 1.0)
    tl.store(sum_ptr + row * width + columns, mean, mask=columns < width)


@triton.jit
def _normalize(out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * width
    columns = tl.arange(0, BLOCK)
    x = tl.load(out_ptr + row + columns, mask=columns < width, other=0.0)
    square = tl.sum(x * x)
    x = x * tl.where(square > 0, tl.rsqrt(tl.where(square > 0, square, 1.0)), 0.0)
    tl.store(out_ptr + row + columns, x, mask=columns < width)


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.pool_on_gpu launch
def pool(hidden, mask, out):
    rows, length, width = hidden.shape
    block = min(256, triton.next_power_of_2(width))
    grid = (rows, triton.cdiv(width, block))
    _sums[grid](hidden, mask, out, length, width, TOKENS=16, BLOCK=block)
    _normalize[(rows,)](out, width, BLOCK=triton.next_power_of_2(width))


### END SOLUTION
