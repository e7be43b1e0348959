// The kernel of a question, with and without its bug.
#include "common.h"

__global__ void sum_chunks(const float* in, float* out, int chunks) {
  __shared__ alignas(128) float slots[2][256];
  __shared__ hotloop::mbarrier full[2], empty[2];
  const int t = threadIdx.x;  // 128 consumers, then a producer warp
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 128);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < chunks; ++i) {
    const int s = i % 2, parity = i / 2 % 2;
    if (t == 128) {
      hotloop::mbarrier_wait_parity(&empty[s], parity ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof slots);
      hotloop::bulk_load(slots[s], in + i * 256, sizeof slots[s], &full[s]);
    } else if (t < 128) {
      hotloop::mbarrier_wait_parity(&full[s], parity);
      sum += slots[s][t] + slots[s][t + 128];
      hotloop::mbarrier_arrive(&empty[s]);
    }
  }
  if (t < 128) out[t] = sum;
}

__global__ void sum_chunks_right(const float* in, float* out, int chunks) {
  __shared__ alignas(128) float slots[2][256];
  __shared__ hotloop::mbarrier full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 128);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < chunks; ++i) {
    const int s = i % 2, parity = i / 2 % 2;
    if (t == 128) {
      hotloop::mbarrier_wait_parity(&empty[s], parity ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof slots[s]);
      hotloop::bulk_load(slots[s], in + i * 256, sizeof slots[s], &full[s]);
    } else if (t < 128) {
      hotloop::mbarrier_wait_parity(&full[s], parity);
      sum += slots[s][t] + slots[s][t + 128];
      hotloop::mbarrier_arrive(&empty[s]);
    }
  }
  if (t < 128) out[t] = sum;
}

int main() {
  constexpr int kChunks = 7;
  const auto in = numbers<float>(kChunks * 256, 7);
  float* const out = on_device(std::vector<float>(128));
  if (FAULT) sum_chunks<<<1, 160>>>(on_device(in), out, kChunks); else sum_chunks_right<<<1, 160>>>(on_device(in), out, kChunks);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  bool is_right = true;
  for (int t = 0; t < 128; ++t) {
    float sum = 0;
    for (int i = t; i < kChunks * 256; i += 128) sum += in[i];
    is_right &= out[t] == sum;
  }
  return verdict(is_right);
}
