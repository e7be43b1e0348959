// expect: divergent_barrier 10,13
// Each branch has a barrier of its own.
#include "../check.h"

__global__ void stage(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = x[t];
    __syncthreads();
  } else {
    s[t] = 2 * x[t];
    __syncthreads();
  }
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
