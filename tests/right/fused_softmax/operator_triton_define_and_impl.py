"""torch.library.define and impl, a kernel that keeps each row in one block of the next power of two."""


### BEGIN SOLUTION fused_softmax.operator_triton kernel
@triton.jit
def _backward_row(y_ptr, dy_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    y_ptr += row * n_cols
    dy_ptr += row * n_cols
    dx_ptr += row * n_cols
    lanes = tl.arange(0, BLOCK)
    dot = 0.0
    for start in tl.range(0, tl.cdiv(n_cols, BLOCK)):
        at = start * BLOCK + lanes
        y = tl.load(y_ptr + at, at < n_cols, 0.0).to(tl.float32)
        dy = tl.load(dy_ptr + at, at < n_cols, 0.0).to(tl.float32)
        dot += tl.sum(y * dy, 0)
    for start in tl.range(0, tl.cdiv(n_cols, BLOCK)):
        at = start * BLOCK + lanes
        y = tl.load(y_ptr + at, at < n_cols, 0.0).to(tl.float32)
        dy = tl.load(dy_ptr + at, at < n_cols, 0.0).to(tl.float32)
        tl.store(dx_ptr + at, (y * (dy - dot)).to(dx_ptr.dtype.element_ty), at < n_cols)


### END SOLUTION
### BEGIN SOLUTION fused_softmax.operator_triton operator
torch.library.define("hotloop_softmax_triton::forward", "(Tensor x) -> Tensor")
torch.library.define("hotloop_softmax_triton::backward", "(Tensor y, Tensor dy) -> Tensor")


@torch.library.impl("hotloop_softmax_triton::forward", "CompositeExplicitAutograd")
def _run_forward(x):
    if x.ndim != 2 or x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"softmax of a {x.ndim}-dimensional {x.dtype} tensor")
    out = x.new_empty(*x.shape)
    if 0 not in x.shape:
        softmax_triton.softmax(x.contiguous(), out)
    return out


@torch.library.impl("hotloop_softmax_triton::backward", "CompositeExplicitAutograd")
def _run_backward(y, dy):
    y = y.contiguous()
    dx = torch.empty_like(y)
    rows, cols = y.shape
    if rows and cols:
        _backward_row[rows,](y, dy.contiguous(), dx, cols, BLOCK=min(2048, triton.next_power_of_2(cols)))
    return dx


@torch.library.register_fake("hotloop_softmax_triton::forward")
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.register_fake("hotloop_softmax_triton::backward")
def _(y, dy):
    return torch.empty_like(y, memory_format=torch.contiguous_format)


def _context(ctx, inputs, output):
    ctx.save_for_backward(output)


def _vjp(ctx, dy):
    y, = ctx.saved_tensors
    return torch.ops.hotloop_softmax_triton.backward(y, dy)


def _context_of_vjp(ctx, inputs, output):
    ctx.y, ctx.dy = inputs


def _vjp_of_vjp(ctx, g):
    inner = lambda a, b: (a * b).sum(1, keepdim=True)
    y, dy = ctx.y, ctx.dy
    return g * (dy - inner(y, dy)) - dy * inner(y, g), y * (g - inner(y, g))


torch.library.register_autograd("hotloop_softmax_triton::forward", _vjp, setup_context=_context)
torch.library.register_autograd("hotloop_softmax_triton::backward", _vjp_of_vjp, setup_context=_context_of_vjp)


### END SOLUTION
