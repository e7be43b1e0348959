// Blocks leave partial sums by bulk stores and count themselves; the last one adds the others' sums up.
#include "common.h"

constexpr int kBlocks = 4, kCount = 128;
__device__ unsigned finished;

__global__ void add_up(const float* in, float* partial, float* out) {
  __shared__ alignas(128) float mine[kCount];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  mine[t] = in[blockIdx.x * kCount + t] + 1;
  hotloop::fence_proxy_async();
  __syncthreads();
  if (t == 0) {
    hotloop::bulk_store(partial + blockIdx.x * kCount, mine, sizeof mine);  // 1: race 2: race
    hotloop::bulk_commit_group();
    if (FAULT == 1) hotloop::bulk_wait_group_read<0>(); else hotloop::bulk_wait_group<0>();
    if (FAULT != 2) __threadfence();
    is_last = atomicAdd(&finished, 1) == kBlocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float sum = 0;
  for (int b = 0; b < kBlocks; ++b) sum += partial[b * kCount + t];  // 1: race 2: race
  out[t] = sum;
}

int main() {
  const auto in = numbers<float>(kBlocks * kCount, 7);
  float *a = on_device(in), *p = on_device(in), *b = on_device(in);
  add_up<<<kBlocks, kCount>>>(a, p, b);
  CHECK_LAUNCH();
  const auto out = on_host(b, kCount);
  bool is_right = true;
  for (int t = 0; t < kCount; ++t) {
    float sum = 0;
    for (int i = 0; i < kBlocks; ++i) sum += in[i * kCount + t] + 1;
    is_right &= out[t] == sum;
  }
  return verdict(is_right);
}
