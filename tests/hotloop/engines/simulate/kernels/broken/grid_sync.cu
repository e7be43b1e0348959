// expect: assert 8
// A grid's own barrier without a cooperative launch.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() {
  cooperative_groups::this_grid().sync();
}

int main() {
  meet<<<2, 32>>>();
  return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1;
}
