// expect: divergent_barrier 9
// Each branch has a barrier of its own, on the same line.
#include "../check.h"

__global__ void stage(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) __syncthreads(); else __syncthreads();
  x[t] = s[63 - t];
}

int main() {
  std::vector<int> x(64, 1);
  int* dx;
  CHECK(cudaMalloc(&dx, 64 * sizeof(int)));
  CHECK(cudaMemcpy(dx, x.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  stage<<<1, 64>>>(dx);
  cudaDeviceSynchronize();
  return 0;
}
