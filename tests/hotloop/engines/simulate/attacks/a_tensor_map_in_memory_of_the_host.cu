// found: out_of_bounds
// Reading a tensor map is an access, too.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(128) float s[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop::tensor_load(s, (CUtensorMap*)0x90000000u, &b, 0);
}
