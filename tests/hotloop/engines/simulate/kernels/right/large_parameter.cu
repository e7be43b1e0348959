// A parameter of nearly 32764 bytes, which is the most that a kernel may have.
#include "../check.h"

struct Large {
  int values[8000];
};

__global__ void add(const __grid_constant__ Large large, int* sum) {
  int mine = 0;
  for (int i = threadIdx.x; i < 8000; i += blockDim.x) mine += large.values[i];
  atomicAdd(sum, mine);
}

int main() {
  Large large;
  int expected = 0, sum, *device;
  for (int i = 0; i < 8000; ++i) expected += large.values[i] = i & 255;
  CHECK(cudaMalloc(&device, sizeof sum));
  CHECK(cudaMemset(device, 0, sizeof sum));
  add<<<1, 64>>>(large, device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return verdict(sum == expected);
}
