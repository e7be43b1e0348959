// Two buffers and no consumer barriers: thread 0 starts the next copy behind a __syncthreads(), which everybody passes after
// the last use of its buffer. The phases' parities are kept by hand, as bits of one word.
#include "common.h"

constexpr int kTile = 128;

__global__ void running_sum(const float* in, float* out, int tiles) {
  __shared__ alignas(16) float buffer[2][kTile];
  __shared__ hotloop::mbarrier arrived[2];
  const int t = threadIdx.x;
  if (t < 2) hotloop::mbarrier_init(&arrived[t], 1), hotloop::fence_mbarrier_init();
  __syncthreads();
  const auto start = [&](int tile) {
    hotloop::mbarrier* const b = &arrived[tile % 2];
    hotloop::mbarrier_expect_tx(b, sizeof buffer[0]);
    hotloop::bulk_load(buffer[tile % 2], in + tile * kTile, sizeof buffer[0], b);  // 1: race 2: race
    if (FAULT != 3) hotloop::mbarrier_arrive(b);
  };
  if (t == 0) start(0);
  unsigned parities = 0;
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (FAULT == 1 && t == 0 && i + 1 < tiles) start(i + 1);
    if (FAULT != 2) __syncthreads();
    if (FAULT != 1 && t == 0 && i + 1 < tiles) start(i + 1);
    while (!hotloop::mbarrier_try_wait_parity(&arrived[i % 2], parities >> i % 2 & 1)) {  // 3: hang
    }
    parities ^= 1u << i % 2;
    sum += buffer[i % 2][t];  // 1: race 2: race
    out[i * kTile + t] = sum;
  }
}

int main() {
  constexpr int kTiles = 7;
  const auto in = numbers<float>(kTiles * kTile, 5);
  float *a = on_device(in), *b = on_device(in);
  running_sum<<<1, kTile>>>(a, b, kTiles);
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (int t = 0; t < kTile; ++t) {
    float sum = 0;
    for (int i = 0; i < kTiles; ++i) is_right &= out[i * kTile + t] == (sum += in[i * kTile + t]);
  }
  return verdict(is_right);
}
