// expect: race 12,15; race 11,17
// A flag between two warps that is volatile and not atomic: volatile orders no other access.
#include "../check.h"

__global__ void pass(int* out) {
  __shared__ volatile int flag;
  __shared__ int message;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 63) {
    message = 42;
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
    *out = message;
  }
}

int main() {
  int* dout;
  CHECK(cudaMalloc(&dout, sizeof(int)));
  pass<<<1, 64>>>(dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(dout));
  return 0;
}
