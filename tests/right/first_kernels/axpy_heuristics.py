"""@triton.heuristics leaves the mask out for whole blocks; asserts, prints and a helper."""


### BEGIN SOLUTION first_kernels.axpy
import triton.language as L
from triton import cdiv


@triton.jit
def _read(pointer, offs, count, EVEN: L.constexpr):
    """Whole blocks need no mask."""
    if EVEN:
        value = L.load(pointer + offs)
    else:
        value = L.load(pointer + offs, mask=offs < count, other=0)
    return value.to(L.float32)


@triton.heuristics({"EVEN": lambda args: args["count"] % args["BLOCK"] == 0})
@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: L.constexpr, EVEN: L.constexpr):
    L.static_assert(BLOCK >= 32, "at least one warp, please!")
    L.device_assert(count > 0, "an empty vector")
    assert BLOCK % 32 == 0, f"not a multiple of a warp: {BLOCK}"
    offs = L.program_id(0) * BLOCK + L.arange(0, BLOCK)
    result = a * _read(x_ptr, offs, count, EVEN) + _read(y_ptr, offs, count, EVEN)
    if EVEN:
        L.store(out_ptr + offs, result)
    else:
        L.store(out_ptr + offs, result, mask=offs < count)


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    """Write a · x + y to `out`."""
    count = x.numel()
    _axpy[(cdiv(count, 1024),)](a, x, y, out, count, BLOCK=1024)


### END SOLUTION
