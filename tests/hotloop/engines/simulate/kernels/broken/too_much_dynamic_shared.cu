// expect: unchecked_error 17
// 64 KB of dynamic shared memory without cudaFuncSetAttribute.
#include "../check.h"

__global__ void reverse(float* x, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[n - 1 - i];
}

int main() {
  const int n = 16384;
  float* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMemset(dx, 0, n * sizeof(float)));
  reverse<<<1, 256, n * sizeof(float)>>>(dx, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(dx));
  return 0;
}
