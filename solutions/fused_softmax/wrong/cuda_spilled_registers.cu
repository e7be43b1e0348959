/*
Keeps 256 numbers a thread for the sake of longer rows, which no thread has registers for.

fails: cuda_warp.compiles
*/

// ### BEGIN SOLUTION fused_softmax.cuda_warp helpers
constexpr int kWarps = kThreads / 32;
constexpr int kKept = 64;  // float4s that a thread keeps: rows of up to 65536 elements

// What is known of some elements: their maximum, and the sum of exp(x - maximum).
struct Partial {
  float maximum;
  float sum;
};

__device__ __forceinline__ float rescale(float from, float to) {
  return from == to ? 1.0f : __expf(from - to);  // also where both are -inf
}

__device__ __forceinline__ Partial combine(Partial a, Partial b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * rescale(a.maximum, maximum) + b.sum * rescale(b.maximum, maximum)};
}

__device__ __forceinline__ Partial reduce_warp(Partial mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Partial other = {__shfl_xor_sync(0xffffffffu, mine.maximum, offset),
                           __shfl_xor_sync(0xffffffffu, mine.sum, offset)};
    mine = combine(mine, other);
  }
  return mine;
}

// Every thread gets the block's result. One barrier: each warp reduces the warps' results itself.
__device__ __forceinline__ Partial reduce_block(Partial mine) {
  __shared__ Partial of_warp[kWarps];
  mine = reduce_warp(mine);
  const int lane = threadIdx.x % 32;
  if (lane == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return reduce_warp(lane < kWarps ? of_warp[lane] : Partial{-CUDART_INF_F, 0.0f});
}

__device__ __forceinline__ float maximum_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ __forceinline__ float4 weights(float4 v, float shift, float scale) {
  return make_float4(__expf(v.x - shift) * scale, __expf(v.y - shift) * scale,
                     __expf(v.z - shift) * scale, __expf(v.w - shift) * scale);
}

__device__ __forceinline__ float shift_of(float maximum) {
  return maximum == -CUDART_INF_F ? 0.0f : maximum;
}

__device__ __forceinline__ float scale_of(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

// A row that fits into the block's registers: one read, one write.
__device__ void softmax_kept(const float4* in, float4* out, int quads) {
  float4 kept[kKept];
  float maximum = -CUDART_INF_F;
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    const int q = k * kThreads + threadIdx.x;
    if (q < quads) {
      kept[k] = in[q];
      maximum = fmaxf(maximum, maximum_of(kept[k]));
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    if (k * kThreads + threadIdx.x < quads) {
      kept[k] = weights(kept[k], shift_of(maximum), 1.0f);
      sum += kept[k].x + kept[k].y + kept[k].z + kept[k].w;
    }
  }
  const Partial row = reduce_block({maximum, sum});
  // What was computed with this thread's maximum is brought to the row's.
  const float factor = rescale(maximum, row.maximum) * scale_of(row.sum);
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    const int q = k * kThreads + threadIdx.x;
    if (q < quads) {
      out[q] = make_float4(kept[k].x * factor, kept[k].y * factor, kept[k].z * factor,
                           kept[k].w * factor);
    }
  }
}

// Any other row: the recurrence in one pass, the result in a second one.
__device__ void softmax_two_passes(const float* in, float* out, int columns) {
  Partial mine = {-CUDART_INF_F, 0.0f};
  for (int c = threadIdx.x; c < columns; c += kThreads) mine = combine(mine, {in[c], 1.0f});
  if (mine.maximum == -CUDART_INF_F) mine.sum = 0.0f;
  const Partial row = reduce_block(mine);
  const float shift = shift_of(row.maximum), scale = scale_of(row.sum);
  for (int c = threadIdx.x; c < columns; c += kThreads) out[c] = __expf(in[c] - shift) * scale;
}
// ### END SOLUTION
