"""Tensor descriptors made in the kernel: loads past the end give zeros, stores there do nothing."""


### BEGIN SOLUTION first_kernels.axpy
@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, shape=[count], strides=[1], block_shape=[BLOCK])
    y = tl.make_tensor_descriptor(y_ptr, shape=[count], strides=[1], block_shape=[BLOCK])
    out = tl.make_tensor_descriptor(out_ptr, shape=[count], strides=[1], block_shape=[BLOCK])
    start = tl.program_id(0) * BLOCK
    total = a * x.load([start]).to(tl.float32) + y.load([start]).to(tl.float32)
    out.store([start], total.to(out.dtype))


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    count, block = x.numel(), 1024
    if x.is_cuda:
        triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=x.device))
    _axpy[(triton.cdiv(count, block),)](a, x, y, out, count, BLOCK=block)


### END SOLUTION
