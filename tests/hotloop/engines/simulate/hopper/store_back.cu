// Load, change, store: threads change a tile in shared memory, and a bulk store takes it back. Persistent blocks.
#include "common.h"

constexpr int kTile = 512, kThreads = 128;

__global__ void __launch_bounds__(kThreads) twice(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float loaded[kTile], changed[2][kTile];
  __shared__ hotloop::mbarrier full;
  const int t = threadIdx.x;
  if (t == 0) hotloop::mbarrier_init(&full, 1), hotloop::fence_mbarrier_init();
  __syncthreads();
  int round = 0;
  for (int i = blockIdx.x; i < tiles; i += gridDim.x, ++round) {
    float* const tile = changed[round % 2];
    if (t == 0) {
      hotloop::mbarrier_arrive_expect_tx(&full, 4 * kTile);
      hotloop::bulk_load(loaded, in + i * kTile, 4 * kTile, &full);  // 1: race
      // The store of the round before the last has read this tile.
      if (FAULT != 2) hotloop::bulk_wait_group_read<OR(3, 1, 2)>();
    }
    hotloop::mbarrier_wait_parity(&full, round & 1);
    __syncthreads();
    for (int k = t; k < kTile; k += kThreads) tile[k] = 2 * loaded[k];  // 1: race 2: race 3: race
    if (FAULT != 4 && FAULT != 5) hotloop::fence_proxy_async();
    if (FAULT != 1 && FAULT != 6) __syncthreads();
    if (FAULT == 1) hotloop::barrier_sync(1, kThreads / 2 + t / 64 * 0 + kThreads / 2);
    if (FAULT == 5 && t == 64) hotloop::fence_proxy_async();
    if (t == 0) {
      hotloop::bulk_store(out + i * kTile, tile, 4 * kTile);  // 4: fence 5: fence 6: race 7: in_flight 8: in_flight
      if (FAULT != 7) hotloop::bulk_commit_group();
    }
    if (FAULT == 1 && t == 96) loaded[0] = 0;  // 1: race
  }
  if (t == 0 && FAULT != 8) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr int kTiles = 9;
  const auto in = numbers<float>(kTile * kTiles, 3);
  float *a = on_device(in), *b = on_device(in);
  twice<<<2, kThreads>>>(a, b, kTiles);
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (size_t i = 0; i < in.size(); ++i) is_right &= out[i] == 2 * in[i];
  return verdict(is_right);
}
