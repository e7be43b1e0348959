// expect: stack_overflow 7
// An array of 800 KB in every thread: more than the 512 KB that CUDA gives a thread.
#include "../check.h"

__global__ void sort(int* x, int n) {
  volatile int copy[200000];
  for (int i = 0; i < n; ++i) copy[i * 5000] = x[i];
  x[threadIdx.x] = copy[threadIdx.x * 5000];
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
