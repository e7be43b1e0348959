// The result's tile lies where the stages were, as a union of both: ordinary stores follow the last product's reads, and in a persistent
// block the next tile's copies follow the read of the store.
#include "common.h"

constexpr int kM = 128, kN = 64, kK = 64, kStages = 2, kThreads = 288;

struct Stage { bf16 a[kM * kK], b[kN * kK]; };
union Memory {
  Stage stages[kStages];
  float result[kM * kN];
};

__global__ void __launch_bounds__(kThreads) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                     const __grid_constant__ CUtensorMap c, int tiles, int steps) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Memory& memory = *reinterpret_cast<Memory*>(bytes);
  __shared__ hotloop::mbarrier full[kStages], empty[kStages], is_free;
  const int t = threadIdx.x, group = t / 128;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 2);
    hotloop::mbarrier_init(&is_free, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (group == 2) {
    if (!hotloop::elect_sync()) return;
    for (int tile = OR(7, blockIdx.x, 0), i = 0, round = 0; tile < tiles; tile += gridDim.x, ++round) {
      if (FAULT != 1) hotloop::mbarrier_wait_parity(&is_free, (round & 1) ^ 1);
      for (int step = 0; step < steps; ++step, ++i) {
        const int s = i % kStages;
        hotloop::mbarrier_wait_parity(&empty[s], (i / kStages & 1) ^ 1);
        hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof(Stage));
        hotloop::tensor_load(memory.stages[s].a, &a, &full[s], step * kK, tile * kM);  // 1: race 2: race 6: race
        hotloop::tensor_load(memory.stages[s].b, &b, &full[s], step * kK, 0);  // 1: race 2: race 6: race
      }
    }
    return;
  }
  for (int tile = OR(7, blockIdx.x, 0), i = 0; tile < tiles; tile += gridDim.x) {
    float sums[kN / 2];
    for (int step = 0; step < steps; ++step, ++i) {
      const int s = i % kStages;
      hotloop::mbarrier_wait_parity(&full[s], i / kStages & 1);
      hotloop::wgmma_fence();
      for (int k = 0; k < kK; k += 16) {
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(memory.stages[s].a + group * 64 * kK + k, 0, 1024, hotloop::swizzle::bytes_128),  // 3: race
                             hotloop::wgmma_descriptor(memory.stages[s].b + k, 0, 1024, hotloop::swizzle::bytes_128), step > 0 || k > 0);
      }
      hotloop::wgmma_commit_group();
      hotloop::wgmma_wait_group<0>(sums);
      if (t % 128 == 0) hotloop::mbarrier_arrive(&empty[s]);
    }
    // The other group may still multiply with what the result replaces.
    if (FAULT != 3) hotloop::barrier_sync(3, 256);
    const int row = group * 64 + t % 128 / 32 * 16 + t % 32 / 4;
    for (int j = 0; j < kN / 2; ++j) memory.result[(row + 8 * (j / 2 % 2)) * kN + j / 4 * 8 + t % 4 * 2 + j % 2] = sums[j];  // 3: race 5: race
    if (FAULT != 4 || t % 128 < 96) hotloop::fence_proxy_async();
    if (FAULT != 5) hotloop::barrier_sync(3, 256);
    if (t == OR(6, 0, 255)) {
      hotloop::tensor_store(&c, memory.result, 0, tile * kM);  // 4: fence 5: race 6: in_flight 7: race
      hotloop::bulk_commit_group();
    }
    if (t == 0) {
      if (FAULT != 2) hotloop::bulk_wait_group_read<0>();
      hotloop::mbarrier_arrive(&is_free);
    }
  }
  if (t == 0) hotloop::bulk_wait_group<0>();
}

int main() {
  constexpr unsigned m = 512, n = kN, k = 320;
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  float* const c = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_c = map_of<float, 2>(c, {n, m}, {kN, kM}, CU_TENSOR_MAP_SWIZZLE_NONE);
  CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory)));
  multiply<<<2, kThreads, sizeof(Memory)>>>(of_a, of_b, of_c, m / kM, k / kK);
  CHECK_LAUNCH();
  return verdict(is_product(a, b, on_host(c, m * n), m, n, k));
}
