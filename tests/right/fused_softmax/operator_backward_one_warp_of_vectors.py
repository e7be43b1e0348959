"""float4 where rows allow it, a second barrier, and the registration of both gradients by one helper."""


### BEGIN SOLUTION fused_softmax.operator_backward helpers
struct Sums {
  float of[kThreads / 32];
};

__device__ inline float block_total(float v, Sums& sums) {
  for (int o : {16, 8, 4, 2, 1}) v += __shfl_xor_sync(0xffffffff, v, o);
  if (!(threadIdx.x & 31)) sums.of[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.f;
    for (float each : sums.of) all += each;
    sums.of[0] = all;
  }
  __syncthreads();
  return sums.of[0];
}
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward kernel
  __shared__ Sums sums;
  const auto offset = static_cast<ptrdiff_t>(blockIdx.x) * columns;
  const bool wide = (columns & 3) == 0;
  const int n = wide ? columns >> 2 : columns;
  float s = 0.f;
  if (wide) {
    const float4 *y4 = (const float4*)(y + offset), *d4 = (const float4*)(dy + offset);
    for (int i = threadIdx.x; i < n; i += kThreads) {
      const float4 a = __ldg(y4 + i), b = __ldg(d4 + i);
      s = fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, s))));
    }
    s = block_total(s, sums);
    float4* out = (float4*)(dx + offset);
    for (int i = threadIdx.x; i < n; i += kThreads) {
      float4 a = y4[i], b = d4[i];
      a.x *= b.x - s, a.y *= b.y - s, a.z *= b.z - s, a.w *= b.w - s;
      out[i] = a;
    }
    return;
  }
  for (int i = threadIdx.x; i < n; i += kThreads) s = fmaf(y[offset + i], dy[offset + i], s);
  s = block_total(s, sums);
  for (int i = threadIdx.x; i < n; i += kThreads) dx[offset + i] = y[offset + i] * (dy[offset + i] - s);
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_backward registration
def differentiable(name, keep, gradient):
    torch.library.register_autograd(
        f"hotloop_softmax::{name}",
        lambda ctx, incoming: gradient(*ctx.saved_tensors, incoming),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*keep(inputs, output)),
    )


def rowdot(a, b):
    return torch.sum(a * b, dim=1, keepdim=True)


torch.library.register_fake("hotloop_softmax::backward")(lambda y, dy: dy.new_empty(y.shape))
differentiable("forward", lambda inputs, y: [y], lambda y, dy: torch.ops.hotloop_softmax.backward(y, dy))
differentiable(
    "backward",
    lambda inputs, _: inputs,
    lambda y, dy, g: (g * dy - g * rowdot(y, dy) - dy * rowdot(y, g), y * (g - rowdot(y, g))),
)
### END SOLUTION
