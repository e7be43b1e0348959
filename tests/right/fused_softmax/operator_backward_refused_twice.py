"""A kernel that folds shared memory in halves, and a gradient whose own raises NotImplementedError."""


### BEGIN SOLUTION fused_softmax.operator_backward helpers
// The sum over the block, by halves of an array in shared memory.
static __device__ float folded(float value, float* scratch) {
  const int t = threadIdx.x;
  scratch[t] = value;
  __syncthreads();
  for (int half = kThreads >> 1; half; half >>= 1) {
    if (t < half) scratch[t] += scratch[t + half];
    __syncthreads();
  }
  return scratch[0];
}
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward kernel
  __shared__ float scratch[kThreads];
  const size_t row = size_t(columns) * blockIdx.x;
  float dot = 0.f, lost = 0.f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    // Kahan's sum, so that long rows lose nothing.
    const float term = y[row + c] * dy[row + c] - lost;
    const float next = dot + term;
    lost = (next - dot) - term;
    dot = next;
  }
  dot = folded(dot, scratch);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    dx[row + c] = y[row + c] * (dy[row + c] - dot);
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward registration
torch.library.register_fake("hotloop_softmax::backward", lambda y, dy: torch.empty_like(
    y, memory_format=torch.contiguous_format))


def _vjp(ctx, grad):
    return torch.ops.hotloop_softmax.backward.default(ctx.saved_tensors[0], grad)


def _setup(ctx, inputs, output):
    del inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(output)


def _never(ctx, grad):
    raise NotImplementedError("softmax: there is no second derivative")


torch.library.register_autograd("hotloop_softmax::forward", _vjp, setup_context=_setup)
torch.library.register_autograd("hotloop_softmax::backward", _never)
### END SOLUTION
