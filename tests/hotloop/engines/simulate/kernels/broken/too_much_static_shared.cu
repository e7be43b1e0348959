// expect: too_much_shared 16
// 64 KB of static shared memory: nvcc's assembler refuses more than 48 KB.
#include "../check.h"

__global__ void copy(const float* in, float* out) {
  __shared__ float s[16384];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[threadIdx.x];
}

int main() {
  float *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(float)));
  CHECK(cudaMalloc(&dout, 32 * sizeof(float)));
  CHECK(cudaMemset(din, 0, 32 * sizeof(float)));
  copy<<<1, 32>>>(din, dout);
  cudaGetLastError();
  return 0;
}
