// Tiles of unequal depth, some of them of none, in an order that blocks draw from a counter: a thread draws the number of the next tile and
// passes it to all roles through a slot of shared memory with barriers of its own.
#include "common.h"

constexpr int kM = 64, kN = 64, kK = 32, kStages = 3, kTiles = 2;
__device__ int next_tile;

struct Stages { bf16 a[kStages][kM * kK], b[kStages][kN * kK]; };

__global__ void __launch_bounds__(256) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c,
                                                const int* depths, int tiles_n, int tiles, int n) {
  __shared__ alignas(1024) Stages stages;
  __shared__ hotloop::mbarrier full[kStages], empty[kStages], drawn[kTiles], taken[kTiles];
  __shared__ int numbers[kTiles];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 4);
    // The thread that loads, and the four warps that multiply.
    for (int s = 0; s < kTiles; ++s) hotloop::mbarrier_init(&drawn[s], 1), hotloop::mbarrier_init(&taken[s], OR(1, 5, 4));
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  const auto next = [&](int round, bool arrives) {
    const int s = round % kTiles;
    hotloop::mbarrier_wait_parity(&drawn[s], round / kTiles & 1);  // 7: hang
    if (FAULT == 2 && arrives) hotloop::mbarrier_arrive(&taken[s]);
    const int tile = numbers[s];  // 2: race 3: race 4: race
    if (FAULT != 4 && warp < 4) __syncwarp();
    if (FAULT != 2 && arrives) hotloop::mbarrier_arrive(&taken[s]);  // 1: mbarrier
    return tile;
  };
  if (warp == 5 && lane == 0) {
    for (int round = 0, tile = 0; tile < tiles; ++round) {
      const int s = round % kTiles;
      if (FAULT != 3) hotloop::mbarrier_wait_parity(&taken[s], (round / kTiles & 1) ^ 1);
      tile = atomicAdd(&next_tile, 1);
      if (FAULT == 7 && tile >= tiles) break;
      numbers[s] = tile;  // 1: race 2: race 3: race 4: race
      hotloop::mbarrier_arrive(&drawn[s]);
    }
    return;
  }
  if (warp == 4 && lane == 0) {
    int i = 0;
    for (int round = 0;; ++round) {
      const int tile = next(round, true);
      if (tile >= tiles) return;
      for (int step = 0; step < depths[tile]; ++step, ++i) {
        const int s = i % kStages;
        hotloop::mbarrier_wait_parity(&empty[s], (i / kStages & 1) ^ 1);  // 5: hang 6: hang
        hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof stages.a[0] + sizeof stages.b[0]);
        hotloop::tensor_load(stages.a[s], &a, &full[s], step * kK, tile / tiles_n * kM);  // 6: race
        hotloop::tensor_load(stages.b[s], &b, &full[s], step * kK, tile % tiles_n * kN);
      }
    }
  }
  if (warp >= 4) return;
  int i = 0;
  for (int round = 0;; ++round) {
    const int tile = next(round, lane == 0);
    if (tile >= tiles) return;
    float sums[kN / 2] = {};
    const int steps = FAULT == 5 && depths[tile] == 0 ? 1 : depths[tile];
    if (FAULT == 6) i = 0;
    for (int step = 0; step < steps; ++step, ++i) {
      const int s = i % kStages;
      hotloop::mbarrier_wait_parity(&full[s], i / kStages & 1);  // 5: hang 5: mbarrier 6: hang 6: mbarrier
      hotloop::wgmma_fence();
      for (int k = 0; k < kK; k += 16) {
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(stages.a[s] + k, 0, 16 * kK, hotloop::swizzle::bytes_64),  // 6: race
                             hotloop::wgmma_descriptor(stages.b[s] + k, 0, 16 * kK, hotloop::swizzle::bytes_64), true);
      }
      hotloop::wgmma_commit_group();
      hotloop::wgmma_wait_group<0>(sums);
      if (lane == 0) hotloop::mbarrier_arrive(&empty[s]);  // 6: mbarrier
    }
    const int row = tile / tiles_n * kM + warp * 16 + lane / 4, column = tile % tiles_n * kN + lane % 4 * 2;
    for (int j = 0; j < kN / 2; ++j) c[(row + 8 * (j / 2 % 2)) * n + column + j / 4 * 8 + j % 2] = sums[j];
  }
}

int main() {
  constexpr unsigned m = 192, n = 128, k = 160, tiles = m / kM * (n / kN);
  const std::vector<int> depths = {3, 0, 5, 1, 4, 2};
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  float* const c = on_device(std::vector<float>(m * n, -1.f));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  multiply<<<2, 192, 0>>>(of_a, of_b, c, on_device(depths), n / kN, tiles, n);
  CHECK_LAUNCH();
  const auto got = on_host(c, m * n);
  bool is_right = true;
  for (unsigned i = 0; i < m * n; ++i) {
    float sum = 0;
    for (unsigned l = 0; l < depths[i / n / kM * (n / kN) + i % n / kN] * kK; ++l) sum += static_cast<float>(a[i / n * k + l]) * static_cast<float>(b[i % n * k + l]);
    is_right &= got[i] == sum;
  }
  return verdict(is_right);
}
