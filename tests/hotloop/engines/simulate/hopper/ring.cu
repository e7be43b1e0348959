// A ring of slots in dynamic shared memory: one producer thread, four warps of consumers that give slots back.
#include "common.h"

constexpr int kChunk = 256, kSlots = 3, kConsumers = 128;

__global__ void sums(const float* in, float* out, int chunks) {
  extern __shared__ __align__(128) float slots[];
  __shared__ hotloop::mbarrier full[kSlots], empty[kSlots];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < kSlots; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], OR(1, kConsumers / 32, kConsumers));
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t == kConsumers) {
    for (int i = 0; i < chunks; ++i) {
      const int s = i % kSlots;
      if (FAULT != 2) hotloop::mbarrier_wait_parity(&empty[s], (i / kSlots & 1) ^ OR(3, 1, 0));  // 1: hang 3: hang 6: hang
      hotloop::mbarrier_arrive_expect_tx(&full[s], 4 * kChunk);  // 2: mbarrier
      hotloop::bulk_load(slots + kChunk * OR(4, s, 0), in + i * kChunk, 4 * kChunk, &full[s]);  // 4: race 5: race 7: race 8: race 9: race
    }
  }
  if (t >= kConsumers) return;
  float sum = 0;
  for (int i = 0; i < chunks; ++i) {
    const int s = i % kSlots;
    hotloop::mbarrier_wait_parity(&full[s], (i / kSlots & 1) ^ OR(5, 0, 1));
    if (FAULT == 7) __syncwarp();
    if (FAULT == 7 && t % 32 == 0) hotloop::mbarrier_arrive(&empty[s]);
    sum += slots[s * kChunk + t] + slots[s * kChunk + t + kConsumers];  // 5: race 7: race 8: race
    if (FAULT != 8) __syncwarp();
    if (FAULT == 6 && i == 4) continue;
    if (FAULT != 7 && t % 32 == 0) hotloop::mbarrier_arrive(&empty[s]);
    if (FAULT == 9) slots[s * kChunk + t] = 0;  // 9: race
  }
  out[t] = sum;
}

int main() {
  constexpr int kChunks = 11;
  const auto in = numbers<float>(kChunks * kChunk, 7);
  float *a = on_device(in), *b = on_device(in);
  sums<<<1, kConsumers + 32, kSlots * kChunk * sizeof(float)>>>(a, b, kChunks);
  CHECK_LAUNCH();
  const auto out = on_host(b, kConsumers);
  bool is_right = true;
  for (int t = 0; t < kConsumers; ++t) {
    float sum = 0;
    for (int i = 0; i < kChunks; ++i) sum += in[i * kChunk + t] + in[i * kChunk + t + kConsumers];
    is_right &= out[t] == sum;
  }
  return verdict(is_right);
}
