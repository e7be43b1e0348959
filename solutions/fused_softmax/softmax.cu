// Three softmax kernels, each with a reason to replace the one before it.
//
// All of them compute y[r][c] = exp(x[r][c] - m) / sum over the row, with m the row's maximum, for a
// row-major float matrix. A row without a finite element becomes zeros. `rows` and `columns` are at
// least 1 and can be anything else. Run one with your own main(): hotloop cuda run, also with --check.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

// 5. One thread a row.  <<<(rows + 255) / 256, 256>>>
//
// The definition, written down. Every lane walks along a row of its own, so that the lanes of a warp
// read addresses that are a whole row apart: each 4 bytes that are asked for move 32.
__global__ void softmax_naive(const float* x, float* y, int rows, int columns) {
  // ### BEGIN SOLUTION fused_softmax.cuda_naive
  // ### STUB // One thread writes one row: its maximum, its sum, then its elements.
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * columns;
  float* out = y + static_cast<size_t>(row) * columns;

  float maximum = -CUDART_INF_F;
  for (int c = 0; c < columns; ++c) maximum = fmaxf(maximum, in[c]);
  // In a row of -inf only, -inf - (-inf) would be NaN. Subtract 0 there: every exponential is 0.
  const float shift = maximum == -CUDART_INF_F ? 0.0f : maximum;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __expf(in[c] - shift);
  const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
  for (int c = 0; c < columns; ++c) out[c] = __expf(in[c] - shift) * scale;
  // ### END SOLUTION
}

// 6. One block a row, and a reduction through shared memory.  <<<rows, 256>>>
//
// Neighboring threads read neighboring elements: nothing moves that was not asked for. The price is
// that 256 threads must agree on one maximum and one sum.
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) softmax_block(const float* x, float* y, int rows,
                                                          int columns) {
  // ### BEGIN SOLUTION fused_softmax.cuda_block
  // ### STUB // One block writes row blockIdx.x: partial results in shared memory, then a tree.
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;

  float maximum = -CUDART_INF_F;
  for (int c = t; c < columns; c += kThreads) maximum = fmaxf(maximum, in[c]);
  partial[t] = maximum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] = fmaxf(partial[t], partial[t + half]);
  }
  __syncthreads();
  maximum = partial[0];
  // Nobody may write its sum into partial[0] while another one still reads the maximum there.
  __syncthreads();

  const float shift = maximum == -CUDART_INF_F ? 0.0f : maximum;
  float sum = 0.0f;
  for (int c = t; c < columns; c += kThreads) sum += __expf(in[c] - shift);
  partial[t] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  __syncthreads();
  const float scale = partial[0] == 0.0f ? 0.0f : 1.0f / partial[0];
  for (int c = t; c < columns; c += kThreads) out[c] = __expf(in[c] - shift) * scale;
  // ### END SOLUTION
}

// 7. Maximum and sum together, in registers, four elements at a time.  <<<rows, 256>>>
//
// The online recurrence needs one pass for both, shuffles need no shared memory within a warp, a
// float4 is one load instead of four, and a row that stays in registers is read only once.
// ### BEGIN SOLUTION fused_softmax.cuda_warp helpers
// ### STUB // Helpers of softmax_warp go here.
constexpr int kWarps = kThreads / 32;
constexpr int kKept = 8;  // float4s that a thread keeps: rows of up to 8192 elements

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

__global__ void __launch_bounds__(kThreads) softmax_warp(const float* x, float* y, int rows,
                                                         int columns) {
  // ### BEGIN SOLUTION fused_softmax.cuda_warp
  // ### STUB // One block writes row blockIdx.x, and reads it once where it fits into registers.
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  // A float4 must lie on 16 bytes: every row does, if the first does and the length is right.
  const bool aligned = columns % 4 == 0 && reinterpret_cast<size_t>(x) % 16 == 0 &&
                       reinterpret_cast<size_t>(y) % 16 == 0;
  if (aligned && columns <= kThreads * 4 * kKept) {
    softmax_kept(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), columns / 4);
  } else {
    softmax_two_passes(in, out, columns);
  }
  // ### END SOLUTION
}
