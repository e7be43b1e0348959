// Maximum and sum of each row, with one buffer for both reductions
//
// Symptom: the sum is right in every debug build, and now and then too small in release.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/one_buffer.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128;

__device__ float block_maximum(float value, float* buffer) {
  buffer[threadIdx.x] = value;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) {
      buffer[threadIdx.x] = fmaxf(buffer[threadIdx.x], buffer[threadIdx.x + stride]);
    }
    __syncthreads();
  }
  return buffer[0];
}

__device__ float block_sum(float value, float* buffer) {
  buffer[threadIdx.x] = value;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) buffer[threadIdx.x] += buffer[threadIdx.x + stride];
    __syncthreads();
  }
  return buffer[0];
}

__global__ void normalizer(const float* x, float* out) {
  __shared__ float buffer[kThreads];
  const float value = x[blockIdx.x * kThreads + threadIdx.x];
  const float maximum = block_maximum(value, buffer);
  const float sum = block_sum(expf(value - maximum), buffer);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  constexpr int kRows = 2;
  std::vector<float> host(kRows * kThreads), sums(kRows);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 5);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, kRows * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  normalizer<<<kRows, kThreads>>>(x, out);
  cudaMemcpy(sums.data(), out, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float sum : sums) std::printf("%g\n", sum);
  cudaFree(x);
  cudaFree(out);
}
