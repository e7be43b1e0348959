"""Autotuned over three configurations from a function; hints and cache modifiers."""


### BEGIN SOLUTION first_kernels.axpy
def _configs():
    return [triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((512, 4), (1024, 4), (2048, 8))]


@triton.autotune(configs=_configs(), key=["count"])
@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offs = start + tl.arange(0, BLOCK)
    offs = tl.max_contiguous(tl.multiple_of(offs, BLOCK), BLOCK)
    m = offs < count
    x = tl.load(x_ptr + offs, m, cache_modifier=".cg")
    y = tl.load(y_ptr + offs, m, eviction_policy="evict_first")
    tl.store(out_ptr + offs, a * x.to(tl.float32) + y.to(tl.float32), m)


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    count = out.numel()
    _axpy[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](a, x, y, out, count)


### END SOLUTION
