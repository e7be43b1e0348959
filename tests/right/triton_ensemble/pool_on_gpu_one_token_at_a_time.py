"""A loop over tokens that jumps over padding, a helper for the norm, and a scalar number of tokens."""


### BEGIN SOLUTION triton_ensemble.pool_on_gpu kernel
@triton.jit
def _unit(x):
    norm = tl.sqrt_rn(tl.sum(x * x, axis=0))
    return tl.div_rn(x, tl.maximum(norm, 1e-12))


@triton.jit
def _pool_row(hidden_ptr, mask_ptr, out_ptr, length, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= WIDTH)
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    total = tl.zeros_like(d).to(tl.float32)
    count = 0.0
    t = 0
    while t < length:
        if tl.load(mask_ptr + row * length + t):
            x = tl.load(hidden_ptr + (row * length + t) * WIDTH + d, mask=d < WIDTH, other=0.0)
            total += x.to(tl.float32)
            count += 1.0
        t += 1
    if count > 0.0:
        total = total / count
    tl.store(out_ptr + row * WIDTH + d, _unit(total), mask=d < WIDTH)


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.pool_on_gpu launch
def pool(hidden, mask, out):
    rows, length, width = hidden.size()
    grid = lambda meta: (rows, 1, 1)
    _pool_row[grid](hidden, mask, out, length, width, triton.next_power_of_2(width), num_warps=2)


### END SOLUTION
