// Dividing long rows by their sums: as two kernels, and as one that walks the row twice.
//
//     hotloop cuda run --check curriculum/fused_softmax/proofs/fusion_that_saves_nothing.cu

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kRows = 4;
constexpr int kColumns = 16384;
constexpr int kThreads = 128;

__device__ float row_sum(const float* row) {
  __shared__ float part[kThreads];
  float mine = 0.0f;
  for (int c = threadIdx.x; c < kColumns; c += kThreads) mine += row[c];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  return part[0];
}

__global__ void sums(const float* x, float* totals) {
  const float total = row_sum(x + blockIdx.x * kColumns);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void divide(const float* x, const float* totals, float* out) {
  const float total = totals[blockIdx.x];
  for (int c = threadIdx.x; c < kColumns; c += kThreads) {
    out[blockIdx.x * kColumns + c] = x[blockIdx.x * kColumns + c] / total;
  }
}

__global__ void fused(const float* x, float* out) {
  const float total = row_sum(x + blockIdx.x * kColumns);
  for (int c = threadIdx.x; c < kColumns; c += kThreads) {
    out[blockIdx.x * kColumns + c] = x[blockIdx.x * kColumns + c] / total;
  }
}

int main() {
  std::vector<float> host(kRows * kColumns, 2.0f), one(host.size()), two(host.size());
  float *x, *totals, *out;
  const size_t bytes = host.size() * sizeof(float);
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMalloc(&totals, kRows * sizeof(float));
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);
  sums<<<kRows, kThreads>>>(x, totals);
  divide<<<kRows, kThreads>>>(x, totals, out);
  cudaMemcpy(two.data(), out, bytes, cudaMemcpyDeviceToHost);
  fused<<<kRows, kThreads>>>(x, out);
  cudaMemcpy(one.data(), out, bytes, cudaMemcpyDeviceToHost);
  const bool same = one == two && one[0] == 1.0f / kColumns;
  std::printf(same ? "same\n" : "different\n");
  cudaFree(x);
  cudaFree(out);
  cudaFree(totals);
  return same ? 0 : 1;
}
