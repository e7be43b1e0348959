// expect: out_of_bounds 6,12
// No test whether the thread has an element.
#include "../check.h"

__global__ void fill(float* out, float value) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
  const int n = 100;
  float* dout;
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  fill<<<(n + 31) / 32, 32>>>(dout, 1.0f);
  cudaDeviceSynchronize();
  return 0;
}
