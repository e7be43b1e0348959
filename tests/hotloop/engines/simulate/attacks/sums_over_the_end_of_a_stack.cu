// found: bad_argument
// Sums of which a part lies on the next thread's stack.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  float mine[4];
  mine[0] = x[0];
  hotloop_wgmma((float*)(((size_t)mine | 0x7ffff) - 63), 0, 0, nullptr, 256);
  x[threadIdx.x] = mine[0];
}
