// d = a · b + c with a cooperative epilogue: a second warp loads c's tile while the products run, both groups add their sums to it where
// it lies, one thread stores all of it, and gives the tile back to the warp that loads. Storage is aligned by hand.
#include "common.h"

constexpr int kM = 128, kN = 64, kK = 32, kStages = 2;

struct Storage {
  bf16 a[kStages][kM * kK], b[kStages][kN * kK];
  float c[kM * kN];
  hotloop::mbarrier full[kStages], empty[kStages], c_full, c_empty;
};

__global__ void __launch_bounds__(384, 1) multiply_add(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                       const __grid_constant__ CUtensorMap c, const __grid_constant__ CUtensorMap d, int tiles_m,
                                                       int tiles, int steps) {
  extern __shared__ unsigned char unaligned[];
  Storage& s = *reinterpret_cast<Storage*>((reinterpret_cast<uintptr_t>(unaligned) + 1023) / 1024 * 1024);
  const int group = threadIdx.x / 128, t = threadIdx.x % 128, warp = t / 32;
  if (threadIdx.x == 0) {
    for (auto& b : s.full) hotloop::mbarrier_init(&b, 1);
    for (auto& b : s.empty) hotloop::mbarrier_init(&b, 256);
    hotloop::mbarrier_init(&s.c_full, 1), hotloop::mbarrier_init(&s.c_empty, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (group == 2 && warp < 2) {
    if (!hotloop::elect_sync()) return;
    unsigned round = 0;
    for (int tile = blockIdx.x, i = 0; tile < tiles; tile += gridDim.x, ++round) {
      const int x = tile / tiles_m * kN, y = tile % tiles_m * kM;
      if (warp == 1) {
        if (FAULT != 1) hotloop::mbarrier_wait_parity(&s.c_empty, (round & 1) ^ 1);  // 9: hang
        hotloop::mbarrier_arrive_expect_tx(&s.c_full, sizeof s.c);  // 1: mbarrier
        hotloop::tensor_load(s.c, &c, &s.c_full, x, y);  // 1: race 2: race
        continue;
      }
      for (int step = 0; step < steps; ++step, ++i) {
        hotloop::mbarrier_wait_parity(&s.empty[i % kStages], (i / kStages & 1) ^ 1);
        hotloop::mbarrier_arrive_expect_tx(&s.full[i % kStages], sizeof s.a[0] + sizeof s.b[0]);
        hotloop::tensor_load(s.a[i % kStages], &a, &s.full[i % kStages], step * kK, y);
        hotloop::tensor_load(s.b[i % kStages], &b, &s.full[i % kStages], step * kK, x);
      }
    }
    return;
  }
  if (group == 2) return;
  unsigned round = 0;
  for (int tile = blockIdx.x, i = 0; tile < tiles; tile += gridDim.x, ++round) {
    float sums[kN / 2];
    for (int step = 0; step < steps; ++step, ++i) {
      hotloop::mbarrier_wait_parity(&s.full[i % kStages], i / kStages & 1);
      hotloop::wgmma_fence();
      for (int k = 0; k < kK; k += 16) {
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(s.a[i % kStages] + group * 64 * kK + k, 0, 16 * kK, hotloop::swizzle::bytes_64),
                             hotloop::wgmma_descriptor(s.b[i % kStages] + k, 0, 16 * kK, hotloop::swizzle::bytes_64), step > 0 || k > 0);
      }
      hotloop::wgmma_commit_group();
      hotloop::wgmma_wait_group<0>(sums);
      hotloop::mbarrier_arrive(&s.empty[i % kStages]);
    }
    if (FAULT != 3) hotloop::mbarrier_wait_parity(&s.c_full, OR(4, round, i) & 1);  // 4: race 4: hang 4: mbarrier
    const int row = group * 64 + warp * 16 + t % 32 / 4;
    for (int j = 0; j < kN / 2; ++j) s.c[(row + 8 * (j / 2 % 2)) * kN + j / 4 * 8 + t % 4 * 2 + j % 2] += sums[j];  // 1: race 3: race 4: race 6: race
    if (FAULT != 5) hotloop::fence_proxy_async();
    // 6: each group meets alone, and one thread stores for both.
    if (FAULT == 9) __syncthreads();  // 9: hang 9: divergent_barrier
    else hotloop::barrier_sync(OR(7, OR(6, 1, 1 + group), 0), OR(6, 256, 128));  // 7: bad_argument
    if (threadIdx.x == 0) {
      hotloop::tensor_store(&d, s.c, tile / tiles_m * kN, tile % tiles_m * kM);  // 5: fence 6: race 8: in_flight
      hotloop::bulk_commit_group();
      if (FAULT != 2 && FAULT != 8) hotloop::bulk_wait_group_read<0>();
      if (FAULT != 8) hotloop::mbarrier_arrive(&s.c_empty);
    }
    if (FAULT == 8 && threadIdx.x == 32) hotloop::bulk_wait_group_read<0>();
    if (FAULT == 8 && threadIdx.x == 32) hotloop::mbarrier_arrive(&s.c_empty);
  }
  if (FAULT == 2 && threadIdx.x == 0) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr unsigned m = 256, n = 128, k = 160;
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  const auto c = numbers<float>(m * n, 3);
  float* const out = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_c = map_of<float, 2>(on_device(c), {n, m}, {kN, kM}, CU_TENSOR_MAP_SWIZZLE_NONE);
  const auto of_d = map_of<float, 2>(out, {n, m}, {kN, kM}, CU_TENSOR_MAP_SWIZZLE_NONE);
  constexpr int bytes = sizeof(Storage) + 1024;
  CHECK(cudaFuncSetAttribute(multiply_add, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  multiply_add<<<2, 384, bytes>>>(of_a, of_b, of_c, of_d, m / kM, m / kM * (n / kN), k / kK);
  CHECK_LAUNCH();
  auto got = on_host(out, m * n);
  for (unsigned i = 0; i < m * n; ++i) got[i] -= c[i];
  return verdict(is_product(a, b, got, m, n, k));
}
