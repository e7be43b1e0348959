// found: out_of_bounds
// A tensor map of the kernel's own, which leads to memory of the host.
#include "hotloop/hopper.cuh"
__device__ CUtensorMap map;
__global__ void k(float* x) {
  __shared__ alignas(128) float s[32];
  __shared__ hotloop::mbarrier b;
  if (threadIdx.x) return;
  map.is_map = 0x70a5a9, map.base = 0x90000000u, map.rank = 1, map.element = 4;
  map.size[0] = 1 << 20, map.stride[0] = 4, map.box[0] = 32;
  hotloop::mbarrier_init(&b, 1);
  hotloop::fence_mbarrier_init();
  hotloop::mbarrier_arrive_expect_tx(&b, 128);
  hotloop::tensor_load(s, &map, &b, 0);
  hotloop::mbarrier_wait_parity(&b, 0);
  x[0] = s[3];
}
