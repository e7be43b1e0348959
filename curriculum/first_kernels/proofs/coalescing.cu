// gelu(x + bias) with two ways to divide a row among 256 threads.
//
//     hotloop cuda run --check curriculum/first_kernels/proofs/coalescing.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kRows = 16, kColumns = 2048;

__device__ float gelu(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

__global__ void neighbors(const float* x, const float* bias, float* y, int columns) {
  const size_t start = static_cast<size_t>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[start + c] = gelu(x[start + c] + bias[c]);
}

__global__ void chunks(const float* x, const float* bias, float* y, int columns) {
  const size_t start = static_cast<size_t>(blockIdx.x) * columns;
  const int width = columns / blockDim.x;
  for (int c = threadIdx.x * width; c < (threadIdx.x + 1) * width; ++c) {
    y[start + c] = gelu(x[start + c] + bias[c]);
  }
}

int main() {
  std::vector<float> host(kRows * kColumns, 0.5f), first(host.size()), second(host.size());
  const size_t bytes = host.size() * sizeof(float);
  float *x, *bias, *y;
  cudaMalloc(&x, bytes);
  cudaMalloc(&bias, kColumns * sizeof(float));
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(bias, host.data(), kColumns * sizeof(float), cudaMemcpyHostToDevice);
  neighbors<<<kRows, 256>>>(x, bias, y, kColumns);
  cudaMemcpy(first.data(), y, bytes, cudaMemcpyDeviceToHost);
  chunks<<<kRows, 256>>>(x, bias, y, kColumns);
  cudaMemcpy(second.data(), y, bytes, cudaMemcpyDeviceToHost);
  std::printf("%s\n", first == second ? "equal" : "different");
  return first != second;
}
