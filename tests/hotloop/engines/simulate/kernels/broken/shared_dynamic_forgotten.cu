// expect: out_of_bounds 7
// The launch gives no dynamic shared memory at all.
#include "../check.h"

__global__ void reverse(float* x, int n) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[n - 1 - threadIdx.x];
}

int main() {
  const int n = 64;
  std::vector<float> x(n, 1);
  float* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  reverse<<<1, n>>>(dx, n);
  cudaDeviceSynchronize();
  return 0;
}
