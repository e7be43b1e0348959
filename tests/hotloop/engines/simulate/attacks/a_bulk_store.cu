// counted: 128
// A store by the copy engine moves bytes as a thread's stores do.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(16) float s[32];
  s[threadIdx.x] = 1;
  hotloop::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x) return;
  hotloop::bulk_store(x, s, 128);
  hotloop::bulk_commit_group();
  hotloop::bulk_wait_group<0>();
}
