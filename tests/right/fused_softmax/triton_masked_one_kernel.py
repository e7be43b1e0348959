"""One kernel for every length: `while` loops, the first block stays in registers."""


### BEGIN SOLUTION fused_softmax.triton_masked kernels
@triton.jit
def _masked_row(x_ptr, keep_ptr, out_ptr, xs, ks, os, n_cols, scale, BLOCK: tl.constexpr):
    """One kernel for every length: a loop that runs once for a short row, which then is in cache."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * xs + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    keep = tl.load(keep_ptr + row * ks + cols, mask=cols < n_cols, other=0).to(tl.int1)
    s = tl.where(keep, scale * x, -float("inf"))
    m = tl.max(s, 0)
    more = BLOCK
    d = tl.sum(tl.exp(s - tl.where(m == -float("inf"), 0.0, m)), 0)
    while more < n_cols:
        c = more + cols
        x2 = tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=0.0).to(tl.float32)
        keep2 = tl.load(keep_ptr + row * ks + c, mask=c < n_cols, other=0).to(tl.int1)
        s2 = tl.where(keep2, scale * x2, -float("inf"))
        m2 = tl.maximum(m, tl.max(s2, 0))
        ref = tl.where(m2 == -float("inf"), 0.0, m2)
        d = d * tl.exp(m - ref) + tl.sum(tl.exp(s2 - ref), 0)
        m = m2
        more += BLOCK
    ref = tl.where(m == -float("inf"), 0.0, m)
    inv = 1.0 / tl.where(d == 0.0, 1.0, d)
    # the first block is still in registers
    tl.store(out_ptr + row * os + cols, tl.exp(s - ref) * inv, mask=cols < n_cols)
    more = BLOCK
    while more < n_cols:
        c = more + cols
        x2 = tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=0.0).to(tl.float32)
        keep2 = tl.load(keep_ptr + row * ks + c, mask=c < n_cols, other=0).to(tl.int1)
        s2 = tl.where(keep2, scale * x2, -float("inf"))
        tl.store(out_ptr + row * os + c, tl.exp(s2 - ref) * inv, mask=c < n_cols)
        more += BLOCK


### END SOLUTION

### BEGIN SOLUTION fused_softmax.triton_masked launch
def masked_softmax(x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor) -> None:
    n_rows, n_cols = x.shape
    block = min(MAX_BLOCK, triton.next_power_of_2(n_cols))
    _masked_row[(n_rows,)](x, mask, out, x.stride(0), mask.stride(0), out.stride(0), n_cols, scale, BLOCK=block, num_warps=_warps(block))


### END SOLUTION
