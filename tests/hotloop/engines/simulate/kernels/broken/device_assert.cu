// expect: assert 8
// An assertion in a kernel that one thread's value fails.
#include <cassert>

#include "../check.h"

__global__ void root(float* x) {
  assert(x[threadIdx.x] >= 0);
  x[threadIdx.x] = sqrtf(x[threadIdx.x]);
}

int main() {
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i) x[i] = 30.5f - i;
  float* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), 32 * sizeof(float), cudaMemcpyHostToDevice));
  root<<<1, 32>>>(dx);
  cudaDeviceSynchronize();
  return 0;
}
