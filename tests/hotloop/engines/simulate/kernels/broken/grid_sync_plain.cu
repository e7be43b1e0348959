// expect: assert 7
// grid.sync() in an ordinary launch.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() { cooperative_groups::this_grid().sync(); }

int main() {
  meet<<<1, 32>>>();
  return cudaDeviceSynchronize() == cudaSuccess;
}
