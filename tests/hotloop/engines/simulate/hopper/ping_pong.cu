// Ping-pong: two warp groups have tiles of their own in turn. While one multiplies, the other one writes its tile through a buffer
// that both share; the order is kept by mbarriers of which each group waits for its own and arrives at the other's.
#include "common.h"

constexpr int kM = 64, kN = 64, kK = 32, kStages = 4;

struct Order {
  hotloop::mbarrier turn[2];
  __device__ void begin() {
    hotloop::mbarrier_init(&turn[0], 128), hotloop::mbarrier_init(&turn[1], 128);
  }
  // The first turn of group 0 needs nobody.
  __device__ void wait(int group, unsigned round) { hotloop::mbarrier_wait_parity(&turn[group], (round & 1) ^ (group == 0 || FAULT == 1 ? 1 : 0)); }  // 2: hang
  __device__ void pass_on(int group) { hotloop::mbarrier_arrive(&turn[group ^ 1]); }
};

__global__ void __launch_bounds__(384, 1) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                   const __grid_constant__ CUtensorMap c, int tiles_n, int tiles, int steps) {
  __shared__ alignas(1024) bf16 tile_a[kStages][kM * kK], tile_b[kStages][kN * kK];
  __shared__ alignas(128) float result[kM * kN / 2];
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  __shared__ Order products, results;
  const int group = static_cast<int>(threadIdx.x / 128) - 1, t = threadIdx.x % 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], OR(3, 1, 2));
    products.begin(), results.begin();
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (group < 0) {
    if (t != 0) return;
    for (int i = 0; i < tiles * steps; ++i) {
      const int s = i % kStages, tile = i / steps;
      hotloop::mbarrier_wait_parity(&empty[s], (i / kStages & 1) ^ 1);  // 3: hang
      hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof tile_a[0] + sizeof tile_b[0]);
      hotloop::tensor_load(tile_a[s], &a, &full[s], i % steps * kK, tile / tiles_n * kM);  // 4: race 8: race
      hotloop::tensor_load(tile_b[s], &b, &full[s], i % steps * kK, tile % tiles_n * kN);  // 4: race 8: race
    }
    return;
  }
  float sums[kN / 2];
  unsigned round = 0;
  for (int tile = group; tile < tiles; tile += 2, ++round) {
    products.wait(group, round);
    for (int i = 0; i < steps; ++i) {
      // The other group's steps are skipped.
      const int at = OR(5, tile * steps + i, static_cast<int>(round) * steps + i), s = at % kStages;
      if (FAULT != 8 || i == 0) hotloop::mbarrier_wait_parity(&full[s], at / kStages & 1);  // 5: hang 5: mbarrier
      hotloop::wgmma_fence();
      for (int k = 0; k < kK; k += 16) {
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(tile_a[s] + k, 0, 16 * kK, hotloop::swizzle::bytes_64),  // 1: race 4: race 5: race 8: race
                             hotloop::wgmma_descriptor(tile_b[s] + k, 0, 16 * kK, hotloop::swizzle::bytes_64), i > 0 || k > 0);
      }
      hotloop::wgmma_commit_group();
      if (FAULT == 4 && t == 0) hotloop::mbarrier_arrive(&empty[s]);
      hotloop::wgmma_wait_group<0>(sums);
      if (FAULT != 4 && t == 0) hotloop::mbarrier_arrive(&empty[s]);  // 5: mbarrier
    }
    products.pass_on(group);
    if (FAULT != 6) results.wait(group, round);
    for (int half = 0; half < 2; ++half) {
      const int row = t / 32 * 16 + t % 32 / 4 + 8 * half;
      for (int i = 0; i < kN / 4; ++i) result[t / 32 * 8 * kN + (row % 8) * kN + i / 2 * 8 + t % 4 * 2 + i % 2] = sums[i / 2 * 4 + 2 * half + i % 2];  // 1: race 6: race 9: race 10: race
      hotloop::fence_proxy_async();
      if (FAULT != 7) hotloop::barrier_sync(1 + group, 128);
      if (t % 32 == 0) {
        const int warp = t / 32;
        hotloop::tensor_store(&c, result + warp * 8 * kN, tile % tiles_n * kN, tile / tiles_n * kM + warp * 16 + 8 * half);  // 6: race 7: race
        hotloop::bulk_commit_group();
        if (FAULT != 9) hotloop::bulk_wait_group_read<OR(10, 0, 1)>();
      }
      hotloop::barrier_sync(1 + group, 128);
    }
    if (FAULT != 2 || tile != 1) results.pass_on(group);
  }
  if (FAULT == 9 && t % 32 == 0) hotloop::bulk_wait_group_read<0>();
  if (FAULT == 10 && t % 32 == 0) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr unsigned m = 128, n = 192, k = 160;
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  float* const c = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_c = map_of<float, 2>(c, {n, m}, {kN, 8}, CU_TENSOR_MAP_SWIZZLE_NONE);
  multiply<<<1, 384>>>(of_a, of_b, of_c, n / kN, m / kM * (n / kN), k / kK);
  CHECK_LAUNCH();
  return verdict(is_product(a, b, on_host(c, m * n), m, n, k));
}
