// The lesson's first kernel in CUDA C++, with a count that is no multiple of the block.
//
//     hotloop cuda run --check curriculum/first_kernels/proofs/twice.cu
#include <cuda_runtime.h>

#include <cstdio>

__global__ void twice(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2 * x[i];
}

int main() {
  const int count = 1000;
  float *x, *y;
  cudaMallocManaged(&x, count * sizeof(float));
  cudaMallocManaged(&y, count * sizeof(float));
  for (int i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  twice<<<(count + 255) / 256, 256>>>(x, y, count);
  cudaDeviceSynchronize();
  std::printf("y[1] = %g, y[999] = %g\n", y[1], y[999]);
  cudaFree(x);
  cudaFree(y);
}
