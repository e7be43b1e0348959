// Collects the columns whose score is above a limit
//
// Symptom: every column is there, but two runs never agree on the order.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/first_come.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128;

__global__ void collect(const float* x, float* out, unsigned* count, float limit) {
  const bool kept = x[threadIdx.x] > limit;
  const unsigned place = kept ? atomicAdd(count, 1u) : 0;
  if (kept) out[place] = static_cast<float>(threadIdx.x);
}

int main() {
  std::vector<float> host(kThreads), found(kThreads);
  for (int i = 0; i < kThreads; ++i) host[i] = static_cast<float>(i % 16);
  unsigned* count;
  cudaMalloc(&count, sizeof(unsigned));
  cudaMemset(count, 0, sizeof(unsigned));
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, kThreads * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  collect<<<1, kThreads>>>(x, out, count, 13.5f);
  unsigned kept = 0;
  cudaMemcpy(&kept, count, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(found.data(), out, kept * sizeof(float), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < kept; ++i) std::printf("%g ", found[i]);
  std::printf("\n");
  cudaFree(x);
  cudaFree(out);
  cudaFree(count);
}
