// found: out_of_bounds
// A bulk copy into local variables, which another thread could read.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  alignas(16) float mine[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop_bulk(0, mine, x, 128, &b);
  hotloop::mbarrier_arrive_expect_tx(&b, 128);
  hotloop::mbarrier_wait_parity(&b, 0);
  x[0] = mine[3];
}
