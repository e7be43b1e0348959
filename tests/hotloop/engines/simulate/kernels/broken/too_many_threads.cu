// expect: unchecked_error 10
// A block of 2048 threads: the launch fails, and nobody looks.
#include "../check.h"

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 2048 * sizeof(int)));
  fill<<<1, 2048>>>(dx);
  CHECK(cudaFree(dx));
  return 0;
}
