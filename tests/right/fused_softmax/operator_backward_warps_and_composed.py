"""One atomic addition a warp in shared memory; the second derivative is computed by PyTorch's own operators."""


### BEGIN SOLUTION fused_softmax.operator_backward helpers
template <typename T>
__device__ T lanes_sum(T v) {
#pragma unroll
  for (unsigned delta = warpSize / 2; delta > 0; delta >>= 1) v += __shfl_down_sync(~0u, v, delta);
  return v;  // of lane 0
}
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward kernel
  __shared__ double total;
  if (threadIdx.x == 0) total = 0.0;
  __syncthreads();
  y += static_cast<long long>(blockIdx.x) * columns;
  dy += static_cast<long long>(blockIdx.x) * columns;
  dx += static_cast<long long>(blockIdx.x) * columns;
  double mine = 0.0;
  for (int i = threadIdx.x; i < columns; i += kThreads) mine = fma(double(y[i]), double(dy[i]), mine);
  mine = lanes_sum(mine);
  if (threadIdx.x % warpSize == 0) atomicAdd(&total, mine);
  __syncthreads();
  const float s = static_cast<float>(total);
  for (int i = threadIdx.x; i < columns; i += kThreads) dx[i] = __fmul_rn(y[i], dy[i] - s);
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward registration
class _Kept:
    """What the two gradients have in common: they save tensors, and nothing else."""

    @staticmethod
    def result(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def arguments(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])


@torch.library.register_fake("hotloop_softmax::backward")
def _backward_fake(y, dy):
    torch._check(y.shape == dy.shape)
    return torch.empty(y.shape, dtype=y.dtype, device=y.device)


def _forward_vjp(ctx, dy):
    return torch.ops.hotloop_softmax.backward(ctx.saved_tensors[0], dy)


def _backward_vjp(ctx, g):
    y, dy = ctx.saved_tensors
    with torch.enable_grad():
        y, dy = y.detach().requires_grad_(), dy.detach().requires_grad_()
        dx = y * (dy - torch.einsum("rc,rc->r", y, dy)[:, None])
        return torch.autograd.grad(dx, (y, dy), g)


torch.library.register_autograd("hotloop_softmax::forward", _forward_vjp, setup_context=_Kept.result)
torch.library.register_autograd("hotloop_softmax::backward", _backward_vjp, setup_context=_Kept.arguments)
### END SOLUTION
