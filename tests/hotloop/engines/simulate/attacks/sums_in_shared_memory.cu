// found: bad_argument
// The sums of a wgmma as a way to write to shared memory without a report.
#include "hotloop/hopper.cuh"
__global__ void k(float* x) {
  __shared__ alignas(1024) float s[1024];
  hotloop_wgmma(s, 0, 0, nullptr, 64);
  x[threadIdx.x] = s[threadIdx.x];
}
