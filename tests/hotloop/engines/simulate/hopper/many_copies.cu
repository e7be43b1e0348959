// Each thread copies some bytes of its own: more copies are on their way at once than the simulator keeps.
#include "common.h"

constexpr int kThreads = 1024, kCopies = 5;

__global__ void gather(const float4* in, float4* out) {
  extern __shared__ __align__(128) float4 slots[];
  __shared__ hotloop::mbarrier full;
  const int t = threadIdx.x;
  if (t == 0) hotloop::mbarrier_init(&full, kThreads), hotloop::fence_mbarrier_init();
  __syncthreads();
  hotloop::mbarrier_arrive_expect_tx(&full, OR(1, kCopies, kCopies + 1) * sizeof(float4));
  for (int i = 0; i < kCopies; ++i) hotloop::bulk_load(slots + i * kThreads + OR(2, t, t / 2 * 2), in + i * kThreads + t, 16, &full);  // 2: race
  hotloop::mbarrier_wait_parity(&full, 0);  // 1: hang
  for (int i = 0; i < kCopies; ++i) out[i * kThreads + t] = slots[i * kThreads + (t ^ 5)];
}

int main() {
  constexpr int kCount = kCopies * kThreads;
  const auto in = numbers<float>(4 * kCount, 7);
  float *a = on_device(in), *b = on_device(in);
  CHECK(cudaFuncSetAttribute(gather, cudaFuncAttributeMaxDynamicSharedMemorySize, kCount * sizeof(float4)));
  gather<<<1, kThreads, kCount * sizeof(float4)>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (int i = 0; i < 4 * kCount; ++i) is_right &= out[i] == in[(i / 4 / kThreads * kThreads + (i / 4 % kThreads ^ 5)) * 4 + i % 4];
  return verdict(is_right);
}
