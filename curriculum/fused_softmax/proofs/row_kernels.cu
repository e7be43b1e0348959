// Divides each row by its sum, in three ways that compute the same and move different bytes.
//
//     hotloop cuda run --check curriculum/fused_softmax/proofs/row_kernels.cu

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kRows = 64;
constexpr int kColumns = 1024;
constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr unsigned kFullWarp = 0xffffffff;

// --8<-- [start:thread_per_row]
// One thread a row: neighboring lanes read addresses that lie a whole row apart.
__global__ void thread_per_row(const float* x, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  const float* in = x + row * kColumns;
  float total = 0.0f;
  for (int c = 0; c < kColumns; ++c) total += in[c];
  for (int c = 0; c < kColumns; ++c) out[row * kColumns + c] = in[c] / total;
}
// --8<-- [end:thread_per_row]

// --8<-- [start:block_tree]
// One block a row: neighboring lanes read neighboring numbers, and a tree in shared memory
// brings the partial sums together.
__global__ void block_tree(const float* x, float* out) {
  __shared__ float part[kThreads];
  const float* in = x + blockIdx.x * kColumns;
  float mine = 0.0f;
  for (int c = threadIdx.x; c < kColumns; c += kThreads) mine += in[c];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();  // by all threads, also by those that add nothing
  }
  const float total = part[0];
  for (int c = threadIdx.x; c < kColumns; c += kThreads) {
    out[blockIdx.x * kColumns + c] = in[c] / total;
  }
}
// --8<-- [end:block_tree]

// --8<-- [start:warp_registers]
// One warp a row, 16 bytes a load: the row is read once and stays in registers, and the partial
// sums go from lane to lane without any memory.
__global__ void warp_registers(const float* x, float* out) {
  constexpr int kVectors = kColumns / 4 / kWarp;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= kRows) return;  // the same for all lanes of a warp
  const auto* in = reinterpret_cast<const float4*>(x + row * kColumns);
  auto* result = reinterpret_cast<float4*>(out + row * kColumns);
  float4 v[kVectors];
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    v[i] = in[i * kWarp + lane];
    total += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    total += __shfl_xor_sync(kFullWarp, total, offset);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    result[i * kWarp + lane] =
        make_float4(v[i].x / total, v[i].y / total, v[i].z / total, v[i].w / total);
  }
}
// --8<-- [end:warp_registers]

static bool rows_sum_to_one(const float* device) {
  std::vector<float> out(kRows * kColumns);
  cudaMemcpy(out.data(), device, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (int row = 0; row < kRows; ++row) {
    double sum = 0.0;
    for (int c = 0; c < kColumns; ++c) sum += out[row * kColumns + c];
    if (!(std::fabs(sum - 1.0) < 1e-4)) return false;
  }
  return true;
}

int main() {
  std::vector<float> host(kRows * kColumns);
  for (size_t i = 0; i < host.size(); ++i) host[i] = 1.0f + static_cast<float>(i % 7);
  float *x, *out;
  const size_t bytes = host.size() * sizeof(float);
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);

  thread_per_row<<<(kRows + kThreads - 1) / kThreads, kThreads>>>(x, out);
  bool right = rows_sum_to_one(out);
  block_tree<<<kRows, kThreads>>>(x, out);
  right = rows_sum_to_one(out) && right;
  warp_registers<<<kRows * kWarp / kThreads, kThreads>>>(x, out);
  right = rows_sum_to_one(out) && right;

  std::printf(right ? "right\n" : "wrong\n");
  cudaFree(x);
  cudaFree(out);
  return right ? 0 : 1;
}
