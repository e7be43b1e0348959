// expect: hang 9
// A block that has returned is still waited for.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() {
  if (blockIdx.x == 1) return;
  cooperative_groups::this_grid().sync();
}

int main() {
  void* arguments[1] = {};
  return cudaLaunchCooperativeKernel(meet, dim3(3), dim3(32), arguments, 0, nullptr) != cudaSuccess || cudaDeviceSynchronize() == cudaSuccess;
}
