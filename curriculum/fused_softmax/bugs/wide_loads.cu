// Doubles a matrix, 16 bytes a load
//
// Symptom: fast and right for 1024 columns; `misaligned address` for 1022.
//
//     hotloop cuda run --check curriculum/fused_softmax/bugs/wide_loads.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void twice(const float* x, float* out, int columns) {
  const float* in = x + blockIdx.x * columns;
  float* result = out + blockIdx.x * columns;
  for (int c = threadIdx.x * 4; c < columns; c += blockDim.x * 4) {
    float4 v = *reinterpret_cast<const float4*>(in + c);
    v = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    *reinterpret_cast<float4*>(result + c) = v;
  }
}

int main() {
  constexpr int kRows = 3, kColumns = 1022;
  std::vector<float> host(kRows * kColumns, 1.0f);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, host.size() * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<kRows, 256>>>(x, out, kColumns);
  if (cudaDeviceSynchronize() != cudaSuccess) std::printf("the launch failed\n");
  cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (const float value : host) sum += value;
  std::printf("%g\n", sum);
  cudaFree(x);
  cudaFree(out);
}
