// expect: unsupported 9
// Dynamic parallelism.
#include "../check.h"

__global__ void child(int* x) { x[threadIdx.x] = 1; }

__global__ void parent(int* x) {
  if (threadIdx.x == 0) {
    child<<<1, 32>>>(x);
  }
}

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(int)));
  parent<<<1, 32>>>(dx);
  cudaDeviceSynchronize();
  return 0;
}
