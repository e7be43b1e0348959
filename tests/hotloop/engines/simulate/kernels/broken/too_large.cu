// expect: out_of_memory 14
// An array that does not fit into the simulated device; the error of cudaMalloc is ignored.
#include "../check.h"

__global__ void fill(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}

int main() {
  constexpr int kCount = 400 << 20;
  float* x = nullptr;
  float first = 0;
  cudaMalloc(&x, kCount * sizeof(float));
  fill<<<kCount / 256, 256>>>(x, kCount);
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  cudaFree(x);
  return verdict(first == 1);
}
