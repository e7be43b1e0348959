// The sum of a row of at most 32 numbers, by one warp
//
// Symptom: 32 numbers are fine; with 20 the kernel never comes back.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/last_lanes.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr unsigned kFullWarp = 0xffffffff;

__global__ void warp_sum(const float* x, float* out, int count) {
  const int lane = threadIdx.x;
  float total = 0.0f;
  if (lane < count) {
    total = x[lane];
    for (int offset = 16; offset > 0; offset /= 2) {
      total += __shfl_down_sync(kFullWarp, total, offset);
    }
  } else {
    __syncwarp();
  }
  if (lane == 0) *out = total;
}

int main() {
  constexpr int kCount = 20;
  std::vector<float> host(kCount, 1.0f);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, 1 * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  warp_sum<<<1, 32>>>(x, out, kCount);
  if (cudaDeviceSynchronize() != cudaSuccess) std::printf("the launch failed\n");
  float sum = 0.0f;
  cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", sum);
  cudaFree(x);
  cudaFree(out);
}
