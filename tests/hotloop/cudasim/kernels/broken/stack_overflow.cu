// expect: stack_overflow 5
// An array of 400 KB in every thread: more than the simulator gives a thread.
#include "../check.h"

__global__ void sort(int* x, int n) {
  volatile int copy[100000];
  for (int i = 0; i < n; ++i) copy[i * 1000] = x[i];
  x[threadIdx.x] = copy[threadIdx.x * 1000];
}

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 64 * sizeof(int)));
  CHECK(cudaMemset(dx, 0, 64 * sizeof(int)));
  sort<<<1, 64>>>(dx, 64);
  CHECK_LAUNCH();
  CHECK(cudaFree(dx));
  return 0;
}
