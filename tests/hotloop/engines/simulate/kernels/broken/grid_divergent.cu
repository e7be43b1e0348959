// expect: divergent_barrier 9,11
// Half of a block waits for the grid, the other half for the block.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() {
  if (threadIdx.x < 32) {
    cooperative_groups::this_grid().sync();
  } else {
    __syncthreads();
  }
}

int main() {
  void* arguments[1] = {};
  return cudaLaunchCooperativeKernel(meet, dim3(2), dim3(64), arguments, 0, nullptr) != cudaSuccess || cudaDeviceSynchronize() == cudaSuccess;
}
