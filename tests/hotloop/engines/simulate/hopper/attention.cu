// Two products in a row, as attention has them: s = q · kᵀ, rounded in registers, and o += s · v with s as a from registers. The next s is
// computed beside the product before. k and v have slots of their own; v is given transposed.
#include "common.h"

constexpr int kRows = 64, kWidth = 64, kSlots = 2;

__device__ uint32_t packed(float low, float high) {
  return static_cast<uint32_t>(__bfloat16_as_ushort(bf16(low))) | static_cast<uint32_t>(__bfloat16_as_ushort(bf16(high))) << 16;
}

__global__ void __launch_bounds__(256) attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                                              const __grid_constant__ CUtensorMap v, float* out, int blocks) {
  extern __shared__ __align__(1024) bf16 memory[];
  constexpr int kTile = kRows * kWidth;
  bf16 *const tile_q = memory, *const tile_k = memory + kTile, *const tile_v = tile_k + kSlots * kTile;
  __shared__ hotloop::mbarrier q_full, k_full[kSlots], k_empty[kSlots], v_full[kSlots], v_empty[kSlots];
  const int t = threadIdx.x;
  if (t == 0) {
    hotloop::mbarrier_init(&q_full, 1);
    for (int s = 0; s < kSlots; ++s) {
      hotloop::mbarrier_init(&k_full[s], 1), hotloop::mbarrier_init(&k_empty[s], 1);
      hotloop::mbarrier_init(&v_full[s], 1), hotloop::mbarrier_init(&v_empty[s], 1);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= 128) {
    if (t >= 160 || !hotloop::elect_sync()) return;
    hotloop::mbarrier_arrive_expect_tx(&q_full, kTile * 2);
    hotloop::tensor_load(tile_q, &q, &q_full, 0, blockIdx.x * kRows);
    for (int i = 0; i < blocks; ++i) {
      const int s = i % kSlots;
      hotloop::mbarrier_wait_parity(&k_empty[s], (i / kSlots & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&k_full[s], kTile * 2);
      hotloop::tensor_load(tile_k + s * kTile, &k, &k_full[s], 0, i * kRows);  // 4: race
      if (FAULT != 3) hotloop::mbarrier_wait_parity(&v_empty[s], (i / kSlots & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&v_full[s], kTile * 2);
      hotloop::tensor_load(tile_v + s * kTile, &v, &v_full[s], i * kRows, 0);  // 3: race 5: race
    }
    return;
  }
  float scores[kRows / 2], sums[kWidth / 2];
  uint32_t rounded[kRows / 16][4];
  for (float& sum : sums) sum = 0;
  const auto start_scores = [&](int i) {
    hotloop::mbarrier_wait_parity(&k_full[i % kSlots], i / kSlots & 1);
    hotloop::wgmma_fence();
    for (int d = 0; d < kWidth; d += 16) {
      hotloop::wgmma<bf16>(scores, hotloop::wgmma_descriptor(tile_q + d, 0, 1024, hotloop::swizzle::bytes_128),  // 1: race 4: race
                           hotloop::wgmma_descriptor(tile_k + i % kSlots * kTile + d, 0, 1024, hotloop::swizzle::bytes_128), d > 0);
    }
    hotloop::wgmma_commit_group();
    if (t == 0 && FAULT == 4) hotloop::mbarrier_arrive(&k_empty[i % kSlots]);
  };
  if (FAULT != 1) hotloop::mbarrier_wait_parity(&q_full, 0);
  start_scores(0);
  if (FAULT != 2) hotloop::wgmma_wait_group<0>(scores);
  for (int i = 0; i < blocks; ++i) {
    const int s = i % kSlots;
    for (int j = 0; j < kRows / 16; ++j) {
      for (int h = 0; h < 4; ++h) rounded[j][h] = packed(scores[8 * j + 2 * h], scores[8 * j + 2 * h + 1]);  // 2: in_flight
    }
    if (t == 0 && FAULT != 4) hotloop::mbarrier_arrive(&k_empty[s]);
    if (i + 1 < blocks) start_scores(i + 1);
    hotloop::mbarrier_wait_parity(&v_full[s], i / kSlots & 1);
    if (FAULT == 6) sums[0] += 0;
    if (FAULT != 6) hotloop::wgmma_fence();
    for (int j = 0; j < kRows / 16; ++j) {
      const uint32_t(&a)[4] = rounded[j];
      hotloop::wgmma<bf16>(sums, a, hotloop::wgmma_descriptor(tile_v + s * kTile + 16 * j, 0, 1024, hotloop::swizzle::bytes_128), true);  // 3: race 5: race 6: fence
    }
    hotloop::wgmma_commit_group();
    if (i + 1 < blocks) hotloop::wgmma_wait_group<1>(scores);
    if (t == 0 && FAULT == 5) hotloop::mbarrier_arrive(&v_empty[s]);
    if (FAULT == 7 && i == 1) sums[1] += 0;  // 7: in_flight
    hotloop::wgmma_wait_group<0>(sums);
    if (t == 0 && FAULT != 5) hotloop::mbarrier_arrive(&v_empty[s]);
  }
  const int row = blockIdx.x * kRows + t / 32 * 16 + t % 32 / 4;
  for (int j = 0; j < kWidth / 2; ++j) out[(row + 8 * (j / 2 % 2)) * kWidth + j / 4 * 8 + t % 4 * 2 + j % 2] = sums[j];
}

int main() {
  constexpr unsigned queries = 64, keys = 320;
  const auto q = numbers<bf16>(queries * kWidth, 5), k = numbers<bf16>(keys * kWidth, 7), v = numbers<bf16>(kWidth * keys, 3);
  float* const o = on_device(std::vector<float>(queries * kWidth));
  const auto of_q = map_of<bf16, 2>(on_device(q), {kWidth, queries}, {kWidth, kRows}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_k = map_of<bf16, 2>(on_device(k), {kWidth, keys}, {kWidth, kRows}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_v = map_of<bf16, 2>(on_device(v), {keys, kWidth}, {kRows, kWidth}, CU_TENSOR_MAP_SWIZZLE_128B);
  constexpr int bytes = (1 + 2 * kSlots) * kRows * kWidth * sizeof(bf16);
  CHECK(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  attend<<<queries / kRows, 256, bytes>>>(of_q, of_k, of_v, o, keys / kRows);
  CHECK_LAUNCH();
  std::vector<bf16> scores(queries * keys);
  for (unsigned i = 0; i < queries * keys; ++i) {
    float sum = 0;
    for (unsigned d = 0; d < kWidth; ++d) sum += static_cast<float>(q[i / keys * kWidth + d]) * static_cast<float>(k[i % keys * kWidth + d]);
    scores[i] = bf16(sum);
  }
  return verdict(is_product(scores, v, on_host(o, queries * kWidth), queries, kWidth, keys));
}
