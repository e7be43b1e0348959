// found: out_of_bounds
// A copy that begins behind the end of shared memory, at a place that belongs to nobody.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(16) float s[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  s[0] = 0;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop_bulk(0, s + (1 << 22), x, 128, &b);
}
