// The maximum of each row, for rows of any length
//
// Symptom: passes for rows of 256 numbers, returns nonsense for 200.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/short_rows.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 256;

__global__ void row_maxima(const float* x, float* out, int columns) {
  __shared__ float part[kThreads];
  if (threadIdx.x >= columns) return;
  part[threadIdx.x] = x[blockIdx.x * columns + threadIdx.x];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) {
      part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + stride]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
  constexpr int kRows = 2, kColumns = 200;
  std::vector<float> host(kRows * kColumns), maxima(kRows);
  for (size_t i = 0; i < host.size(); ++i) host[i] = -1.0f - static_cast<float>(i % kColumns);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, kRows * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_maxima<<<kRows, kThreads>>>(x, out, kColumns);
  if (cudaDeviceSynchronize() != cudaSuccess) std::printf("the launch failed\n");
  cudaMemcpy(maxima.data(), out, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float maximum : maxima) std::printf("%g\n", maximum);
  cudaFree(x);
  cudaFree(out);
}
