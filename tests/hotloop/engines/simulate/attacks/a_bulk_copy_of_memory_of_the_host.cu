// found: out_of_bounds
// A bulk copy from memory of the host.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(16) float s[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop::mbarrier_arrive_expect_tx(&b, 128);
  hotloop_bulk(0, s, (void*)0x90000000u, 128, &b);
  hotloop::mbarrier_wait_parity(&b, 0);
  x[0] = s[3];
}
