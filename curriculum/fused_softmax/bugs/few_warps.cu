// The sum of a row: a sum for each warp, then a sum of those
//
// Symptom: right with 1024 threads; with 128 the result changes from run to run.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/few_warps.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr unsigned kFullWarp = 0xffffffff;

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, offset);
  }
  return value;
}

__global__ void row_sums(const float* x, float* out) {
  __shared__ float of_warp[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const float mine = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    const float total = warp_sum(of_warp[lane]);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
  }
}

int main() {
  constexpr int kRows = 2, kThreads = 128;
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
