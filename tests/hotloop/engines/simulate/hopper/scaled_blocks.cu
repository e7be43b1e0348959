// In the style of DeepGEMM: 8-bit floats, scales of a that come with their tile, sums promoted after each step, a scheduler object in all
// roles, one lane of each warp that gives a slot back, and rows of the result that each warp stores by itself.
#include "common.h"

using fp8 = __nv_fp8_e4m3;
constexpr int kM = 64, kN = 64, kK = 64, kStages = 3, kWarps = 4;

struct Scheduler {
  int tiles_n, tiles, now = -1;
  __device__ bool get_next_block(int& m, int& n) {
    const int tile = ++now * gridDim.x + blockIdx.x;
    m = tile / tiles_n, n = tile % tiles_n;
    return tile < tiles;
  }
};

struct Stage {
  alignas(1024) fp8 a[kM * kK], b[kN * kK];
  alignas(128) float scales[kM];
};

__global__ void __launch_bounds__(256, 1) scaled(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const float* scales,
                                              const __grid_constant__ CUtensorMap c, int rows, int tiles_n, int tiles, int steps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  float* const out = reinterpret_cast<float*>(stages + kStages);
  hotloop::mbarrier* const full = reinterpret_cast<hotloop::mbarrier*>(out + OR(1, kM, kM / 2) * kN);  // 1: mbarrier
  hotloop::mbarrier* const empty = full + kStages;
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t == 128) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], kWarps);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  Scheduler scheduler{tiles_n, tiles};
  int m, n;
  const auto round = [&](int step) { return OR(2, scheduler.now * steps, 0) + step; };
  if (warp >= kWarps) {
    hotloop::setmaxnreg_dec<40>();
    if (warp > kWarps || !hotloop::elect_sync()) return;
    while (scheduler.get_next_block(m, n)) {
      for (int step = 0; step < steps; ++step) {
        const int i = round(step), s = i % kStages;
        hotloop::mbarrier_wait_parity(&empty[s], (i / kStages + 1) & 1);  // 2: hang 2: mbarrier
        hotloop::tensor_load(stages[s].a, &a, &full[s], step * kK, m * kM);  // 4: race 5: race
        hotloop::tensor_load(stages[s].b, &b, &full[s], step * kK, n * kN);
        hotloop::bulk_load(stages[s].scales, scales + step * rows + m * kM, sizeof stages[s].scales, &full[s]);  // 3: race 4: race 6: tx_count
        // The copies may come before their bytes are expected: the arrival is what the phase waits for.
        hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof stages[s].a + sizeof stages[s].b + OR(6, sizeof stages[s].scales, 0));  // 6: tx_count
      }
    }
    return;
  }
  const int row = warp * 16 + lane / 4;
  while (scheduler.get_next_block(m, n)) {
    float sums[kN / 2], totals[kN / 2] = {};
    for (int step = 0; step < steps; ++step) {
      const int i = round(step), s = i % kStages;
      hotloop::mbarrier_wait_parity(&full[s], i / kStages & 1);  // 2: hang 2: mbarrier
      float scale[2];
      if (FAULT != 4) scale[0] = stages[s].scales[row], scale[1] = stages[s].scales[row + 8];  // 3: race
      hotloop::wgmma_fence();
      for (int k = 0; k < kK; k += 32) {
        hotloop::wgmma<fp8>(sums, hotloop::wgmma_descriptor(stages[s].a + k, 0, 8 * kK, hotloop::swizzle::bytes_64),
                            hotloop::wgmma_descriptor(stages[s].b + k, 0, 8 * kK, hotloop::swizzle::bytes_64), k > 0);
      }
      hotloop::wgmma_commit_group();
      if (FAULT == 7) totals[0] += scale[0] * sums[0];  // 7: in_flight
      hotloop::wgmma_wait_group<0>(sums);
      if (FAULT != 3) __syncwarp();
      if (lane == 0) hotloop::mbarrier_arrive(&empty[s]);
      if (FAULT == 4) scale[0] = stages[s].scales[row], scale[1] = stages[s].scales[row + 8];  // 4: race
      for (int j = 0; j < kN / 2; ++j) totals[j] += scale[j / 2 % 2] * sums[j];
    }
    // The store of the tile before has read this warp's rows.
    if (lane == 0 && FAULT != 5) hotloop::bulk_wait_group_read<0>();
    if (FAULT != 8) __syncwarp();
    for (int j = 0; j < kN / 2; ++j) out[(row + 8 * (j / 2 % 2)) * kN + j / 4 * 8 + lane % 4 * 2 + j % 2] = totals[j];  // 1: mbarrier 5: race 8: race
    hotloop::fence_proxy_async();
    __syncwarp();
    if (lane == (FAULT == 9 && m == 1 ? 1 : 0)) {
      hotloop::tensor_store(&c, out + warp * 16 * kN, n * kN, m * kM + warp * 16);  // 9: in_flight
      hotloop::bulk_commit_group();
    }
    __syncwarp();
  }
  if (lane == 0) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr unsigned m = 128, n = 128, k = 256, steps = k / kK;
  const auto a = numbers<fp8>(m * k, 5), b = numbers<fp8>(n * k, 7);
  std::vector<float> scales(steps * m);
  for (unsigned i = 0; i < scales.size(); ++i) scales[i] = 1 << i % 4;
  float* const c = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<fp8, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<fp8, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_c = map_of<float, 2>(c, {n, m}, {kN, 16}, CU_TENSOR_MAP_SWIZZLE_NONE);
  constexpr int bytes = kStages * sizeof(Stage) + kM * kN * sizeof(float) + 2 * kStages * sizeof(hotloop::mbarrier);
  CHECK(cudaFuncSetAttribute(scaled, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  scaled<<<2, 256, bytes>>>(of_a, of_b, on_device(scales), of_c, m, n / kN, m / kM * (n / kN), steps);
  CHECK_LAUNCH();
  const auto out = on_host(c, m * n);
  bool is_right = true;
  for (unsigned i = 0; i < m * n; ++i) {
    float sum = 0;
    for (unsigned l = 0; l < k; ++l) sum += scales[l / kK * m + i / n] * static_cast<float>(a[i / n * k + l]) * static_cast<float>(b[i % n * k + l]);
    is_right &= out[i] == sum;
  }
  return verdict(is_right);
}
