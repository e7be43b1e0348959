"""Stream-K: programs share all steps of all tiles evenly; who begins a tile waits for the others' sums of it by flags."""


### BEGIN SOLUTION first_kernels.matmul
EDGE, STEP = tl.constexpr(64), tl.constexpr(32)


@triton.jit
def _sum_of_steps(a_ptr, b_ptr, rows, columns, begin, end, m, n, k, a_stride, b_stride):
    acc = tl.zeros((EDGE, EDGE), tl.float32)
    for step in tl.range(begin, end, 1, 3):
        along = STEP * step + tl.arange(0, STEP)
        a = tl.load(a_ptr + rows[:, None] * a_stride + along, (rows[:, None] < m) & (along < k), 0.0)
        b = tl.load(b_ptr + along[:, None] * b_stride + columns, (along[:, None] < k) & (columns < n), 0.0)
        acc = tl.dot(a, b, acc)
    return acc


@triton.jit
def _stream(a_ptr, b_ptr, c_ptr, parts_ptr, flags_ptr, m, n, k, a_stride, b_stride, c_stride, each):
    pid = tl.program_id(0)
    across, steps = tl.cdiv(n, EDGE), tl.cdiv(k, STEP)
    at, end = pid * each, tl.minimum((pid + 1) * each, tl.cdiv(m, EDGE) * across * steps)
    inside_tile = EDGE * tl.arange(0, EDGE)[:, None] + tl.arange(0, EDGE)
    while at < end:
        tile = at // steps
        first, stop = tile * steps, (tile + 1) * steps
        last = min(end, stop)
        rows = EDGE * (tile // across) + tl.arange(0, EDGE)
        columns = EDGE * (tile % across) + tl.arange(0, EDGE)
        acc = _sum_of_steps(
            a_ptr, b_ptr, rows, columns, at - first, last - first, m, n, k, a_stride, b_stride
        )
        if at == first:
            helper, reached = pid, last
            while reached < stop:
                helper += 1
                while tl.atomic_add(flags_ptr + helper, 0, sem="acquire", scope="gpu") == 0:
                    pass
                acc += tl.load(parts_ptr + helper * EDGE * EDGE + inside_tile, cache_modifier=".cg")
                reached += each
            inside = (rows[:, None] < m) & (columns < n)
            tl.store(c_ptr + rows[:, None] * c_stride + columns, acc, mask=inside)
        else:
            tl.store(parts_ptr + pid * EDGE * EDGE + inside_tile, acc, cache_modifier=".cg")
            tl.debug_barrier()
            tl.atomic_xchg(flags_ptr + pid, 1, sem="release", scope="gpu")
        at = last


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        edge, step, programs = EDGE.value, STEP.value, 4
        (m, k), n = a.shape, b.shape[1]
        tiles = triton.cdiv(m, edge) * triton.cdiv(n, edge)
        parts = a.new_empty(programs, edge, edge, dtype=torch.float32)
        flags = a.new_zeros(programs, dtype=torch.int32)
        each = triton.cdiv(tiles * triton.cdiv(k, step), programs)
        strides = a.stride(0), b.stride(0), c.stride(0)
        compiled = _stream[[programs]](a, b, c, parts, flags, m, n, k, *strides, each, num_warps=4)
        ctx.mark_dirty(c)
        del compiled
        return c


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    _Product.apply(a, b, c)


### END SOLUTION
