// expect: host_access 12
// Host code reads the device's array without a copy.
#include "../check.h"

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(int)));
  fill<<<1, 32>>>(dx);
  CHECK_LAUNCH();
  std::printf("%d\n", dx[3]);
  return 0;
}
