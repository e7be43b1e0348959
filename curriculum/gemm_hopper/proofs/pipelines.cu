// A ring of two slots: a producer warp fills them by bulk copies, four consumer warps add up what arrives.
#include "common.h"

constexpr int kChunk = 256, kSlots = 2, kConsumers = 128;

__global__ void sums(const float* in, float* out, int chunks) {
  __shared__ alignas(128) float slots[kSlots][kChunk];
  __shared__ hotloop::mbarrier full[kSlots], empty[kSlots];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < kSlots; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], OR(10, kConsumers, kConsumers / 32));
    }
    if (FAULT != 8) hotloop::fence_mbarrier_init();
  }
  if (FAULT != 9) __syncthreads();
  if (t >= kConsumers) {  // the producer warp
    if (t != kConsumers) return;
    for (int i = 0; i < chunks; ++i) {
      const int s = i % kSlots, parity = i / kSlots & 1;
      if (FAULT != 1) hotloop::mbarrier_wait_parity(&empty[s], OR(2, parity ^ 1, parity));
      hotloop::mbarrier_arrive_expect_tx(&full[s], OR(4, OR(5, sizeof slots[s], sizeof slots), sizeof slots[s] / 2));
      hotloop::bulk_load(slots[s], in + i * kChunk, sizeof slots[s], &full[s]);
    }
    return;
  }
  float sum = 0;
  for (int i = 0; i < chunks; ++i) {
    const int s = i % kSlots, parity = i / kSlots & 1;
    hotloop::mbarrier_wait_parity(&full[s], OR(3, parity, parity ^ 1));
    if (FAULT == 6) hotloop::mbarrier_arrive(&empty[s]);
    sum += slots[s][t] + slots[s][t + kConsumers];
    if (FAULT != 6 && (FAULT != 7 || t % 32 == 0)) hotloop::mbarrier_arrive(&empty[s]);
  }
  out[t] = sum;
}

int main() {
  constexpr int kChunks = 9;
  const auto in = numbers<float>(kChunks * kChunk, 7);
  float* const out = on_device(std::vector<float>(kConsumers));
  sums<<<1, kConsumers + 32>>>(on_device(in), out, kChunks);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  bool is_right = true;
  for (int t = 0; t < kConsumers; ++t) {
    float sum = 0;
    for (int i = 0; i < kChunks; ++i) sum += in[i * kChunk + t] + in[i * kChunk + t + kConsumers];
    is_right &= out[t] == sum;
  }
  return verdict(is_right);
}
