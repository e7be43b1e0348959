// expect: timeout 9 within 1 s
// Every block waits until all have come: more blocks than fit on the device wait for ever.
#include "../check.h"

__device__ int arrived;

__global__ void meet(int* out) {
  atomicAdd(&arrived, 1);
  while (atomicAdd(&arrived, 0) < gridDim.x) {
  }
  out[blockIdx.x] = 1;
}

int main() {
  int* dout;
  CHECK(cudaMalloc(&dout, 4 * sizeof(int)));
  meet<<<4, 1>>>(dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(dout));
  return 0;
}
