// The row stays in shared memory instead of registers; cg::reduce of maxima, then of sums; vectors by a union.
// ### BEGIN SOLUTION fused_softmax.cuda_warp helpers
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <typename Op>
__device__ float of_block(float mine, float neutral, Op op, float* parts) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  mine = cg::reduce(warp, mine, op);
  block.sync();
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = mine;
  block.sync();
  return cg::reduce(warp, warp.thread_rank() < warp.meta_group_size() ? parts[warp.thread_rank()] : neutral, op);
}
// ### END SOLUTION

// ### BEGIN SOLUTION fused_softmax.cuda_warp
  __shared__ __align__(16) float kept[8192];
  __shared__ float parts[kThreads / 32];
  const float* in = x + (size_t)blockIdx.x * columns;
  float* out = y + (size_t)blockIdx.x * columns;
  const bool fits = columns <= 8192 && columns % 4 == 0;
  float top = -CUDART_INF_F;
  if (fits) {
    for (int q = threadIdx.x; q < columns / 4; q += blockDim.x) {
      const float4 v = reinterpret_cast<const float4*>(in)[q];
      reinterpret_cast<float4*>(kept)[q] = v;
      top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
  } else {
    for (int c = threadIdx.x; c < columns; c += blockDim.x) top = fmaxf(top, in[c]);
  }
  top = of_block(top, -CUDART_INF_F, cg::greater<float>(), parts);
  const float shift = top == -CUDART_INF_F ? 0.0f : top;
  float sum = 0.0f;
  if (fits) {
    for (int q = threadIdx.x; q < columns / 4; q += blockDim.x) {
      float4 v = reinterpret_cast<float4*>(kept)[q];
      v = make_float4(__expf(v.x - shift), __expf(v.y - shift), __expf(v.z - shift), __expf(v.w - shift));
      reinterpret_cast<float4*>(kept)[q] = v;
      sum += (v.x + v.y) + (v.z + v.w);
    }
  } else {
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(in[c] - shift);
  }
  sum = of_block(sum, 0.0f, cg::plus<float>(), parts);
  const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
  if (fits) {
    for (int q = threadIdx.x; q < columns / 4; q += blockDim.x) {
      const float4 v = reinterpret_cast<float4*>(kept)[q];
      reinterpret_cast<float4*>(out)[q] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
  } else {
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] = __expf(in[c] - shift) * scale;
  }
// ### END SOLUTION
