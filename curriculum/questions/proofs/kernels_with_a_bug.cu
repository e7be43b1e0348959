// Four kernels with a bug, each followed by one without, and a tile with three row pitches.
//
//     hotloop cuda run --check curriculum/questions/proofs/kernels_with_a_bug.cu --arg reused_scratch --arg 256

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace reused_scratch {
__device__ float block_reduce(float v, bool take_max) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) {
    const float o = __shfl_xor_sync(0xffffffffu, v, d);
    v = take_max ? fmaxf(v, o) : v + o;
  }
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < blockDim.x / 32; ++w) v = take_max ? fmaxf(v, part[w]) : v + part[w];
  return v;
}

__global__ void softmax_rows(const float* x, float* y, int columns) {  // one block per row
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  float m = -INFINITY, s = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) m = fmaxf(m, row[c]);
  m = block_reduce(m, true);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) s += expf(row[c] - m);
  s = block_reduce(s, false);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    y[static_cast<size_t>(blockIdx.x) * columns + c] = expf(row[c] - m) / s;
}
}  // namespace reused_scratch

namespace fixed_scratch {
__device__ float block_reduce(float v, bool take_max) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) {
    const float o = __shfl_xor_sync(0xffffffffu, v, d);
    v = take_max ? fmaxf(v, o) : v + o;
  }
  __syncthreads();  // The call before this one has read part.
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < blockDim.x / 32; ++w) v = take_max ? fmaxf(v, part[w]) : v + part[w];
  return v;
}

__global__ void softmax_rows(const float* x, float* y, int columns) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  float m = -INFINITY, s = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) m = fmaxf(m, row[c]);
  m = block_reduce(m, true);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) s += expf(row[c] - m);
  s = block_reduce(s, false);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    y[static_cast<size_t>(blockIdx.x) * columns + c] = expf(row[c] - m) / s;
}
}  // namespace fixed_scratch

namespace barrier_in_a_branch {
__global__ void sum_of_squares(const float* x, float* out, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  part[threadIdx.x] = x[i] * x[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
}  // namespace barrier_in_a_branch

namespace barrier_for_all {
__global__ void sum_of_squares(const float* x, float* out, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = i < n ? x[i] : 0.0f;
  part[threadIdx.x] = v * v;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
}  // namespace barrier_for_all

namespace rows_of_float4 {
__global__ void row_norms(const float* x, float* out, int columns) {  // one warp per row
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  const float4* wide = reinterpret_cast<const float4*>(row);
  float s = 0.0f;
  for (int c = threadIdx.x; c < columns / 4; c += 32) {
    const float4 v = wide[c];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int c = columns / 4 * 4 + threadIdx.x; c < columns; c += 32) s += row[c] * row[c];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(s);
}
}  // namespace rows_of_float4

namespace rows_of_float4_after_a_head {
__global__ void row_norms(const float* x, float* out, int columns) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
  const int past = reinterpret_cast<size_t>(row) / 4 % 4;
  const int head = min(columns, (4 - past) % 4);
  const float4* wide = reinterpret_cast<const float4*>(row + head);
  const int vectors = (columns - head) / 4;
  float s = 0.0f;
  for (int c = threadIdx.x; c < head; c += 32) s += row[c] * row[c];
  for (int c = threadIdx.x; c < vectors; c += 32) {
    const float4 v = wide[c];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int c = head + 4 * vectors + threadIdx.x; c < columns; c += 32) s += row[c] * row[c];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(s);
}
}  // namespace rows_of_float4_after_a_head

namespace shuffle_in_a_loop {
__global__ void dot(const float* x, const float* y, float* out, int n) {  // one warp
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) {
    float p = x[i] * y[i];
    for (int d = 16; d > 0; d /= 2) p += __shfl_down_sync(0xffffffffu, p, d);
    s += p;
  }
  if (threadIdx.x == 0) *out = s;
}
}  // namespace shuffle_in_a_loop

namespace shuffle_after_the_loop {
__global__ void dot(const float* x, const float* y, float* out, int n) {
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) s += x[i] * y[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x == 0) *out = s;
}
}  // namespace shuffle_after_the_loop

template <int kPitch>
__global__ void column_sums(const float* x, float* out) {
  __shared__ float tile[32 * kPitch];
  for (int r = 0; r < 32; ++r) tile[r * kPitch + threadIdx.x] = x[r * 32 + threadIdx.x];
  __syncwarp();
  float s = 0.0f;
  for (int c = 0; c < 32; ++c) s += tile[threadIdx.x * kPitch + c];
  out[threadIdx.x] = s;
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  const int n = std::atoi(arguments[2]), rows = 3;
  std::vector<float> host(std::max(rows * n, 1024)), back(host.size());
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 7) - 3.0f;
  const size_t bytes = host.size() * sizeof(float);
  float *x, *y;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, bytes);
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("reused_scratch")) reused_scratch::softmax_rows<<<rows, 128>>>(x, y, n);
  if (is("fixed_scratch")) fixed_scratch::softmax_rows<<<rows, 128>>>(x, y, n);
  if (is("barrier_in_a_branch")) barrier_in_a_branch::sum_of_squares<<<(n + 255) / 256, 256>>>(x, y, n);
  if (is("barrier_for_all")) barrier_for_all::sum_of_squares<<<(n + 255) / 256, 256>>>(x, y, n);
  if (is("rows_of_float4")) rows_of_float4::row_norms<<<rows, 32>>>(x, y, n);
  if (is("rows_of_float4_after_a_head")) rows_of_float4_after_a_head::row_norms<<<rows, 32>>>(x, y, n);
  if (is("shuffle_in_a_loop")) shuffle_in_a_loop::dot<<<1, 32>>>(x, x, y, n);
  if (is("shuffle_after_the_loop")) shuffle_after_the_loop::dot<<<1, 32>>>(x, x, y, n);
  if (is("pitch_32")) column_sums<32><<<1, 32>>>(x, y);
  if (is("pitch_33")) column_sums<33><<<1, 32>>>(x, y);
  if (is("pitch_40")) column_sums<40><<<1, 32>>>(x, y);
  cudaMemcpy(back.data(), y, bytes, cudaMemcpyDeviceToHost);
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  const auto close = [](double got, double expected) {
    return std::abs(got - expected) <= 1e-5 * std::max(1.0, std::abs(expected));
  };
  if (std::strstr(name, "scratch")) {
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < n; ++c) sum += std::exp(host[r * n + c]);
      for (int c = 0; c < n; ++c) right &= close(back[r * n + c], std::exp(host[r * n + c]) / sum);
    }
  } else if (std::strstr(name, "float4")) {
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < n; ++c) sum += host[r * n + c] * host[r * n + c];
      right &= close(back[r], std::sqrt(sum));
    }
  } else if (!std::strstr(name, "pitch")) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i] * host[i];
    right &= close(back[0], sum);
  }
  std::printf("%s\n", right ? "right" : "wrong");
}
