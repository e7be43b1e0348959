// c = a · bᵀ in tiles of 128 × 64: a producer warp, two warp groups of consumers with 64 rows each, four stages, one product in
// flight while the next one starts. Persistent blocks, and tiles of c go back by tensor stores.
#include "common.h"

constexpr int kRows = 128, kColumns = 64, kDepth = 64, kStages = 4, kThreads = 384;
struct Stage { bf16 a[kRows * kDepth], b[kColumns * kDepth]; };

__global__ void __launch_bounds__(kThreads, 1) multiply(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int tiles_m,
    int tiles, int steps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  float* const result = reinterpret_cast<float*>(stages + kStages);
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x, group = t / 128 - 1;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 2);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  int step = 0;
  if (group < 0) {
    hotloop::setmaxnreg_dec<40>();
    if (t >= 32 || !hotloop::elect_sync()) return;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      for (int i = 0; i < steps; ++i, ++step) {
        Stage& stage = stages[step % kStages];
        hotloop::mbarrier* const arrived = &full[step % kStages];
        hotloop::mbarrier_wait_parity(&empty[step % kStages], (step / kStages & 1) ^ 1);
        hotloop::mbarrier_arrive_expect_tx(arrived, OR(1, sizeof(Stage), sizeof stage.a));
        hotloop::tensor_load(stage.a, &a, arrived, i * kDepth, tile % tiles_m * kRows);  // 1: tx_count 2: race 3: race 9: race
        hotloop::tensor_load(stage.b, &b, arrived, i * kDepth, tile / tiles_m * kColumns);  // 1: tx_count
      }
    }
    return;
  }
  hotloop::setmaxnreg_inc<232>();
  float sums[kColumns / 2];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int i = 0; i < steps; ++i, ++step) {
      const Stage& stage = stages[step % kStages];
      hotloop::mbarrier_wait_parity(&full[step % kStages], step / kStages & 1);
      if (FAULT != 4) hotloop::wgmma_fence();
      for (int k = 0; k < kDepth; k += 16) {
        const bf16* const rows = stage.a + group * 64 * kDepth + k;
        const auto how = OR(5, hotloop::swizzle::bytes_128, hotloop::swizzle::bytes_64);
        if (FAULT == 6 && t % 128 >= 96 && k == 48) continue;
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(rows, 0, 1024, how),  // 2: race 3: race 4: fence 5: swizzle 6: divergent_warp 7: out_of_bounds 9: race
                             hotloop::wgmma_descriptor(stage.b + k, 0, OR(7, 1024, 0x4000), how), i > 0 || k > 0);  // 5: swizzle
      }
      if (FAULT != 8) hotloop::wgmma_commit_group();
      // The product before this one is complete: its slot goes back.
      const bool waits = FAULT != 2 && (FAULT != 14 || t % 128 == 0) && (FAULT != 15 || t % 128 < 32);
      if (waits) hotloop::wgmma_wait_group<OR(9, 1, 2)>(sums);  // 14: divergent_warp 15: divergent_warp
      if (FAULT == 13 && i == 0) sums[0] += 0;  // 13: in_flight
      const int back = OR(3, step + kStages - 1, step);
      if (t % 128 == 0 && (i > 0 || FAULT == 3)) hotloop::mbarrier_arrive(&empty[back % kStages]);
    }
    if (FAULT != 10) hotloop::wgmma_wait_group<0>(sums);
    if (t % 128 == 0 && FAULT != 3) hotloop::mbarrier_arrive(&empty[(step + kStages - 1) % kStages]);
    // The last tile's store has read the result's memory.
    if (t == 128) hotloop::bulk_wait_group_read<0>();
    hotloop::barrier_sync(1, 256);
    const int lane = t % 32, row = group * 64 + t % 128 / 32 * 16 + lane / 4;
    for (int j = 0; j < kColumns / 8; ++j) {
      for (int h = 0; h < 4; ++h) result[(row + 8 * (h / 2)) * kColumns + 8 * j + lane % 4 * 2 + h % 2] = sums[4 * j + h];  // 8: in_flight 10: in_flight 12: race
    }
    if (FAULT != 11) hotloop::fence_proxy_async();
    if (FAULT != 12) hotloop::barrier_sync(1, 256);
    if (t == 128) {
      hotloop::tensor_store(&c, result, tile / tiles_m * kColumns, tile % tiles_m * kRows);  // 11: fence 12: race
      hotloop::bulk_commit_group();
    }
  }
  if (t == 128) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr int m = 256, n = 128, k = 384;
  const auto a = numbers<bf16>(m * k, 7), b = numbers<bf16>(n * k, 5);
  const std::vector<float> zeros(m * n);
  float* const out = on_device(zeros);
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kDepth, kRows}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kDepth, kColumns}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_c = map_of<float, 2>(out, {n, m}, {kColumns, kRows}, CU_TENSOR_MAP_SWIZZLE_NONE);
  const int bytes = kStages * sizeof(Stage) + kRows * kColumns * sizeof(float);
  CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  multiply<<<2, kThreads, bytes>>>(of_a, of_b, of_c, m / kRows, m / kRows * (n / kColumns), k / kDepth);
  CHECK_LAUNCH();
  const auto c = on_host(out, m * n);
  bool is_right = true;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += static_cast<float>(a[i * k + l]) * static_cast<float>(b[j * k + l]);
      is_right &= c[i * n + j] == sum;
    }
  }
  return verdict(is_right);
}
