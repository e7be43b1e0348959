// The sum of one long row, by several blocks
//
// Symptom: one block is right; with eight the sum is too small, and different each time.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/many_blocks.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr unsigned kFullWarp = 0xffffffff;

__global__ void long_sum(const float* x, float* out) {
  float value = x[blockIdx.x * kThreads + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, offset);
  }
  if (threadIdx.x % 32 == 0) {
    *out += value;
  }
}

int main() {
  constexpr int kBlocks = 8;
  std::vector<float> host(kBlocks * kThreads, 1.0f);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, 1 * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(float));
  long_sum<<<kBlocks, kThreads>>>(x, out);
  float sum = 0.0f;
  cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", sum);
  cudaFree(x);
  cudaFree(out);
}
