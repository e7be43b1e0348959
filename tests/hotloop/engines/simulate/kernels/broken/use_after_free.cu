// expect: out_of_bounds 6,11,14
// A buffer is freed before the kernel that reads it is launched.
#include "../check.h"

__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

int main() {
  int *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 32 * sizeof(int)));
  CHECK(cudaMemset(din, 0, 32 * sizeof(int)));
  CHECK(cudaFree(din));
  copy<<<1, 32>>>(din, dout);
  cudaDeviceSynchronize();
  return 0;
}
