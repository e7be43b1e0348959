// The last steps of a tree, by one warp and without barriers, fixed. Compare with ../lock_step.cu.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64;

__global__ void row_sums(const float* x, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = x[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    // --8<-- [start:fix]
    // volatile is gone: __syncwarp orders memory, for the hardware and for the compiler.
    float total = part[threadIdx.x];
    for (int stride = 32; stride > 0; stride /= 2) {
      total += part[threadIdx.x + stride];
      __syncwarp();  // all have read before anybody writes,
      part[threadIdx.x] = total;
      __syncwarp();  // and all have written before anybody reads on
    }
    // --8<-- [end:fix]
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
