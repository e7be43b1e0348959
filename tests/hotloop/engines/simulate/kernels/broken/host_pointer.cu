// expect: out_of_bounds 6
// The kernel is given the host's array.
#include "../check.h"

__global__ void twice(int* x) {
  x[threadIdx.x] *= 2;
}

int main() {
  std::vector<int> x(32, 1);
  twice<<<1, 32>>>(x.data());
  cudaDeviceSynchronize();
  return 0;
}
