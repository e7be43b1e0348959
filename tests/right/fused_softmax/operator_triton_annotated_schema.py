"""custom_op as a function call with a schema of its own and the row strides handed to the kernel; several rows a program."""


### BEGIN SOLUTION fused_softmax.operator_triton kernel
@triton.jit
def _rows_of_gradients(y_ptr, dy_ptr, dx_ptr, rows, cols, y_step, dy_step, dy_within, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        partial = tl.full((BLOCK,), 0, tl.float32)
        for first in range(0, cols, BLOCK):
            c = first + tl.arange(0, BLOCK)
            y = tl.load(y_ptr + row * y_step + c, mask=c < cols, other=0)
            dy = tl.load(dy_ptr + row * dy_step + c * dy_within, mask=c < cols, other=0)
            partial = tl.fma(y.to(tl.float32), dy.to(tl.float32), partial)
        s = tl.sum(partial)
        for first in range(0, cols, BLOCK):
            c = first + tl.arange(0, BLOCK)
            y = tl.load(y_ptr + row * y_step + c, mask=c < cols, other=0).to(tl.float32)
            dy = tl.load(dy_ptr + row * dy_step + c * dy_within, mask=c < cols, other=0).to(tl.float32)
            tl.store(dx_ptr + row * cols + c, y * (dy - s), mask=c < cols)


### END SOLUTION
### BEGIN SOLUTION fused_softmax.operator_triton operator
def _softmax_of(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if y.numel():
        softmax_triton.softmax(x if x.stride(-1) == 1 else x.clone(memory_format=torch.contiguous_format), y)
    return y


def _gradient_of(y, dy):
    y = y.contiguous()
    dx = torch.empty(y.shape, dtype=y.dtype, device=y.device)
    if dx.numel():
        rows, cols = dx.shape
        _rows_of_gradients[(min(rows, 16),)](
            y, dy, dx, rows, cols, y.stride(0), dy.stride(0), dy.stride(1), BLOCK=1024
        )
    return dx


forward = torch.library.custom_op(
    "hotloop_softmax_triton::forward", _softmax_of, mutates_args=(), schema="(Tensor x) -> Tensor"
)
backward = torch.library.custom_op(
    "hotloop_softmax_triton::backward", _gradient_of, mutates_args=(), schema="(Tensor y, Tensor dy) -> Tensor"
)
for operator in forward, backward:
    operator.register_fake(lambda first, *_: first.new_empty(first.shape))
forward.register_autograd(
    torch.autograd.function.once_differentiable(lambda ctx, dy: backward(*ctx.saved_tensors, dy)),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
)


### END SOLUTION
