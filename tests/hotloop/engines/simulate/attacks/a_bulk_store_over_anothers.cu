// found: race
// Two threads store many bytes of their own choice to one place, and wait for it: what the checker keeps of two writes that may
// be alike has room for those of a thread.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(128) float s[4096];
  for (int i = threadIdx.x; i < 4096; i += 32) s[i] = 1601 + i;
  hotloop::fence_proxy_async();
  __syncwarp();
  if (threadIdx.x > 1) return;
  hotloop::bulk_store(x, s + 32 * threadIdx.x, 8192);
  hotloop::bulk_commit_group();
  hotloop::bulk_wait_group<0>();
}
