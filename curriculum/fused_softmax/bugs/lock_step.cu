// The last steps of a tree, by one warp and without barriers
//
// Symptom: it was right for ten years; on a GPU of 2018 or later it sometimes is not.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/lock_step.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64;

__global__ void row_sums(const float* x, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = x[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    volatile float* s = part;
    float total = s[threadIdx.x];
    for (int stride = 32; stride > 0; stride /= 2) {
      total += s[threadIdx.x + stride];
      s[threadIdx.x] = total;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = total;
  }
}

int main() {
  constexpr int kRows = 2;
  std::vector<float> host(kRows * kThreads, 1.0f), sums(kRows);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, kRows * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<kRows, kThreads>>>(x, out);
  cudaMemcpy(sums.data(), out, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float sum : sums) std::printf("%g\n", sum);
  cudaFree(x);
  cudaFree(out);
}
