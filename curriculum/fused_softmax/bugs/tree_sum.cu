// The sum of each row, by a tree in shared memory
//
// Symptom: right on one GPU, wrong on the next; a printf in the loop hides it.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/tree_sum.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 256;

__global__ void row_sums(const float* x, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = x[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
  constexpr int kRows = 4;
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
