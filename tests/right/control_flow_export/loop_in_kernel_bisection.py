"""τ by bisection, and one exact step on the support that was found."""


### BEGIN SOLUTION control_flow_export.loop_in_kernel kernel
@triton.jit
def _by_bisection(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    """tau lies between max - 1 and max - 1/n: halve, then one exact step on the support that was found."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=-float("inf"))
    x = x - tl.max(x, 0)
    low = -1.0
    high = 0.0
    step = 0
    while (high - low > 1e-7) & (step < 40):
        middle = 0.5 * (low + high)
        over = tl.sum(tl.maximum(x - middle, 0.0), 0) >= 1.0
        low = tl.where(over, middle, low)
        high = tl.where(over, high, middle)
        step += 1
    kept = x > low
    tau = (tl.sum(tl.where(kept, x, 0.0), 0) - 1.0) / tl.sum(kept.to(tl.float32), 0)
    tl.store(out_ptr + row * n_cols + c, tl.maximum(x - tau, 0.0), mask=c < n_cols)


### END SOLUTION


### BEGIN SOLUTION control_flow_export.loop_in_kernel launch
def sparsemax(x: torch.Tensor, out: torch.Tensor) -> None:
    rows, columns = x.shape
    _by_bisection[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8)


### END SOLUTION
