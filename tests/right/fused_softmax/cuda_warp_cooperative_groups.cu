// Cooperative groups: a functor joins (maximum, sum) pairs in a template over tiles; streaming loads and stores.
// ### BEGIN SOLUTION fused_softmax.cuda_warp helpers
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
struct __align__(8) MD {
  float m, d;
};
struct Merge {
  __device__ MD operator()(MD a, MD b) const {
    const bool bigger = a.m > b.m;
    const MD hi = bigger ? a : b, lo = bigger ? b : a;
    return {hi.m, lo.d == 0.0f ? hi.d : hi.d + lo.d * __expf(lo.m - hi.m)};
  }
};
template <typename Tile>
__device__ MD all_reduce(Tile tile, MD v) {
  for (int o = tile.size() / 2; o > 0; o /= 2) {
    MD other{tile.shfl_xor(v.m, o), tile.shfl_xor(v.d, o)};
    v = Merge{}(v, other);
  }
  return v;
}
__device__ MD block_reduce(MD v) {
  __shared__ MD parts[kThreads / 32];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  v = all_reduce(warp, v);
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = v;
  block.sync();
  MD w = warp.thread_rank() < kThreads / 32 ? parts[warp.thread_rank()] : MD{-CUDART_INF_F, 0.0f};
  return all_reduce(warp, w);
}
// ### END SOLUTION

// ### BEGIN SOLUTION fused_softmax.cuda_warp
  constexpr int kPer = 8;
  const float* in = x + (size_t)blockIdx.x * columns;
  float* out = y + (size_t)blockIdx.x * columns;
  if (columns % 4 == 0 && columns <= kThreads * 4 * kPer) {
    float4 keep[kPer];
    const float4* in4 = reinterpret_cast<const float4*>(in);
    float4* out4 = reinterpret_cast<float4*>(out);
    const int quads = columns / 4;
    float m = -CUDART_INF_F;
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      const int q = threadIdx.x + i * kThreads;
      keep[i] = q < quads ? __ldcs(in4 + q) : make_float4(-CUDART_INF_F, -CUDART_INF_F, -CUDART_INF_F, -CUDART_INF_F);
      m = fmaxf(m, fmaxf(fmaxf(keep[i].x, keep[i].y), fmaxf(keep[i].z, keep[i].w)));
    }
    const float ref = m == -CUDART_INF_F ? 0.0f : m;
    float d = 0.0f;
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      keep[i] = make_float4(__expf(keep[i].x - ref), __expf(keep[i].y - ref), __expf(keep[i].z - ref), __expf(keep[i].w - ref));
      d += (keep[i].x + keep[i].y) + (keep[i].z + keep[i].w);
    }
    const MD all = block_reduce({m, d});
    const float scale = all.d > 0.0f ? __expf(ref - (all.m == -CUDART_INF_F ? 0.0f : all.m)) / all.d : 0.0f;
    // ref is 0 where this thread saw nothing: its exponentials are 0 then
    const float factor = m == -CUDART_INF_F ? 0.0f : scale;
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      const int q = threadIdx.x + i * kThreads;
      if (q < quads) __stcs(out4 + q, make_float4(keep[i].x * factor, keep[i].y * factor, keep[i].z * factor, keep[i].w * factor));
    }
    return;
  }
  MD mine{-CUDART_INF_F, 0.0f};
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    const float v = in[c];
    if (v != -CUDART_INF_F) mine = Merge{}(mine, {v, 1.0f});
  }
  const MD all = block_reduce(mine);
  const float ref = all.d > 0.0f ? all.m : 0.0f, inverse = all.d > 0.0f ? 1.0f / all.d : 0.0f;
  for (int c = threadIdx.x; c < columns; c += kThreads) out[c] = expf(in[c] - ref) * inverse;
// ### END SOLUTION
