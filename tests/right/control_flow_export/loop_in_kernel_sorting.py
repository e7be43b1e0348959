"""Algorithm 1 of Martins and Astudillo: tl.sort and tl.cumsum, and no loop."""


### BEGIN SOLUTION control_flow_export.loop_in_kernel kernel
@triton.jit
def _by_sorting(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    """Martins and Astudillo's algorithm 1: sort, cumulate, find the support. No loop at all."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=-float("inf"))
    x = x - tl.max(x, 0)
    z = tl.maximum(
        tl.sort(x, descending=True), -2.0
    )  # what lies below -1 has no part, and inf does not add up
    total = tl.cumsum(z, 0)
    k = (c + 1).to(tl.float32)
    support = 1.0 + k * z > total
    size = tl.sum(support.to(tl.float32), 0)
    tau = (tl.sum(tl.where(support, z, 0.0), 0) - 1.0) / size
    tl.store(out_ptr + row * n_cols + c, tl.maximum(x - tau, 0.0), mask=c < n_cols)


### END SOLUTION


### BEGIN SOLUTION control_flow_export.loop_in_kernel launch
def sparsemax(x: torch.Tensor, out: torch.Tensor) -> None:
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    _by_sorting[(rows,)](x, out, columns, BLOCK=block, num_warps=max(1, min(16, block // 256)))


### END SOLUTION
