// expect: host_access 12
// Host code sets a __device__ variable as if it were its own: the kernel never sees the value.
#include "../check.h"

__device__ int factor;

__global__ void fill(int* x) { x[threadIdx.x] = factor * threadIdx.x; }

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(int)));
  factor = 3;
  fill<<<1, 32>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaFree(dx));
  return 0;
}
