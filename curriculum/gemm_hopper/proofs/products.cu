// c = a · bᵀ in one tile of 64 × 64: a producer warp, a warp group that multiplies, two stages, and a tensor store.
#include "common.h"

constexpr int kTile = 64, kDepth = 64, kStages = 2;
constexpr auto kSwizzled = hotloop::swizzle::bytes_128;
#ifdef PLAIN
constexpr bool kStoreSwizzled = false;
#else
constexpr bool kStoreSwizzled = true;
#endif

__global__ void __launch_bounds__(160) multiply(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int steps) {
  __shared__ alignas(1024) bf16 tile_a[kStages][kTile * kDepth], tile_b[kStages][kTile * kDepth], result[kTile * kTile];
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= 128) {
    if (t != 128) return;
    for (int i = 0; i < steps; ++i) {
      const int s = i % kStages;
      hotloop::mbarrier_wait_parity(&empty[s], (i / kStages & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[s], sizeof tile_a[s] + sizeof tile_b[s]);
      hotloop::tensor_load(tile_a[s], &a, &full[s], i * kDepth, 0);
      hotloop::tensor_load(tile_b[s], &b, &full[s], i * kDepth, 0);
    }
    return;
  }
  float sums[kTile / 2];
  for (int i = 0; i < steps; ++i) {
    const int s = i % kStages;
    hotloop::mbarrier_wait_parity(&full[s], i / kStages & 1);
    if (FAULT != 1) hotloop::wgmma_fence();
    for (int k = 0; k < kDepth; k += 16) {
      const auto how = OR(2, kSwizzled, hotloop::swizzle::bytes_64);
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(tile_a[s] + k, 0, 1024, how),
                           hotloop::wgmma_descriptor(tile_b[s] + k, 0, 1024, how), i > 0 || k > 0);
    }
    hotloop::wgmma_commit_group();
    if (FAULT == 3 && i + 1 == steps) sums[0] += 1;
    if (FAULT != 4 && FAULT != 5) hotloop::wgmma_wait_group<0>(sums);
    if (FAULT == 5) hotloop::wgmma_wait_group<1>(sums);
    if (t == 0) hotloop::mbarrier_arrive(&empty[s]);
  }
  hotloop::wgmma_wait_group<0>(sums);
  const int row = t / 32 * 16 + t % 32 / 4;
  for (int i = 0; i < kTile / 2; i += 2) {
    const int at = row + 8 * (i / 2 % 2), chunk = kStoreSwizzled ? (i / 4) ^ (at % 8) : i / 4;
    const __nv_bfloat162 two(__float2bfloat16(sums[i]), __float2bfloat16(sums[i + 1]));
    *reinterpret_cast<__nv_bfloat162*>(result + at * kTile + chunk * 8 + t % 4 * 2) = two;  // the epilogue's store
  }
  if (FAULT != 6) hotloop::fence_proxy_async();
  hotloop::barrier_sync(1, 128);
  if (t == 0) {
    hotloop::tensor_store(&c, result, 0, 0);
    hotloop::bulk_commit_group();
    if (FAULT != 7) hotloop::bulk_wait_group_read<0>();
  }
}

int main() {
  constexpr int k = 512;
  const auto a = numbers<bf16>(kTile * k, 7), b = numbers<bf16>(kTile * k, 5);
  bf16* const out = on_device(std::vector<bf16>(kTile * kTile));
  const auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  multiply<<<1, 160>>>(hotloop::tensor_map(on_device(a), kTile, k, kTile, kDepth, swizzle), hotloop::tensor_map(on_device(b), kTile, k, kTile, kDepth, swizzle),
                       hotloop::tensor_map(out, kTile, kTile, kTile, kTile, kStoreSwizzled ? swizzle : CU_TENSOR_MAP_SWIZZLE_NONE), k / kDepth);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  bool is_right = true;
  for (int i = 0; i < kTile; ++i) {
    for (int j = 0; j < kTile; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += static_cast<float>(a[i * k + l]) * static_cast<float>(b[j * k + l]);
      is_right &= static_cast<float>(out[i * kTile + j]) == static_cast<float>(__float2bfloat16(sum));
    }
  }
  return verdict(is_right);
}
