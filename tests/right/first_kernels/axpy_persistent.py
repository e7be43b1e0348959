"""Persistent programs that stride over the vector, `tl.range` and `.to` of its variable, tl.fma."""


### BEGIN SOLUTION first_kernels.axpy
@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    blocks = tl.cdiv(count, BLOCK)
    for block_id in tl.range(tl.program_id(axis=0), blocks, tl.num_programs(0)):
        offs = block_id.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = offs < count
        x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        y = tl.load(y_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        result = tl.fma(x, a.to(tl.float32), y)
        tl.store(out_ptr + offs, result.to(out_ptr.dtype.element_ty), mask=mask)


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    n = x.numel()
    if n == 0:
        return
    grid = lambda meta: (min(triton.cdiv(n, meta["BLOCK"]), 4 * 132),)
    _axpy[grid](a, x, y, out, n, BLOCK=1024, num_warps=4)


### END SOLUTION
