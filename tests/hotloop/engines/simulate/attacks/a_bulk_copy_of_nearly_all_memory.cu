// found: out_of_bounds
// So many bytes that the end of the copy lies before its beginning.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(16) float s[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop_bulk(0, s, x, 0xfffffff0u, &b);
}
