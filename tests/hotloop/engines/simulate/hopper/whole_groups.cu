// What all threads of a warp group say alike: operands, registers, waits whose result is looked at. A warp group loads and one multiplies.
#include "common.h"

constexpr int kRows = 64, kK = 64, kSlots = 2;

__global__ void __launch_bounds__(256, 1) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int steps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  // 3: the tiles begin in the middle of the rows after which a swizzle repeats.
  bf16* const tile_a = reinterpret_cast<bf16*>(memory + OR(3, 0, 512));
  bf16* const tile_b = tile_a + kSlots * kRows * kK;
  __shared__ hotloop::mbarrier full[kSlots], empty[kSlots];
  const int t = threadIdx.x, warp = t / 32;
  if (t == 0) {
    for (int s = 0; s < kSlots; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp >= 4) {
    if (FAULT != 5 || warp == 4) hotloop::setmaxnreg_dec<40>();  // 5: divergent_warp
    if (warp != 4 || !hotloop::elect_sync()) return;
    CUtensorMap copied = a;
    for (int i = 0; i < steps; ++i) {
      const int s = i % kSlots;
      const unsigned parity = (i / kSlots & 1) ^ 1;
      while (!hotloop::mbarrier_test_wait_parity(&empty[s], parity)) {
        if (FAULT == 10) break;
      }
      hotloop::mbarrier_arrive_expect_tx(&full[s], 2 * kRows * kK * sizeof(bf16));
      hotloop::tensor_load(tile_a + s * kRows * kK, OR(8, &a, &copied), &full[s], i * kK, 0);  // 8: bad_argument 9: race 10: race
      hotloop::tensor_load(tile_b + s * kRows * kK, &b, &full[s], i * kK, 0);  // 10: race
    }
    return;
  }
  if (FAULT == 7 && warp == 3) hotloop::setmaxnreg_inc<208>();  // 7: divergent_warp
  else hotloop::setmaxnreg_inc<216>();  // 7: divergent_warp
  float sums[kRows / 2];
  for (int i = 0; i < steps; ++i) {
    const int s = i % kSlots;
    while (!hotloop::mbarrier_try_wait_parity(&full[s], i / kSlots & 1)) {
      if (FAULT == 9 || (FAULT == 11 && warp != 0)) break;
    }
    const bf16 *x = tile_a + s * kRows * kK, *y = tile_b + s * kRows * kK;
    if (FAULT == 1) x += 16 * kK * warp;
    if (FAULT == 2 && t % 32 == 5) y += 8 * kK;
    hotloop::wgmma_fence();
    for (int k = 0; k < kK; k += 16) {
      const bool adds = i > 0 || k > 0 || (FAULT == 4 && warp == 2);
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(x + k, 0, 1024, hotloop::swizzle::bytes_128),  // 1: divergent_warp 2: divergent_warp 3: bad_argument 4: divergent_warp 9: race 10: race 11: race
                           hotloop::wgmma_descriptor(y + k, 0, 1024, hotloop::swizzle::bytes_128), adds);
    }
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    if (t == 0) hotloop::mbarrier_arrive(&empty[s]);
  }
  const int row = warp * 16 + t % 32 / 4;
  for (int j = 0; j < kRows / 2; ++j) c[(row + 8 * (j / 2 % 2)) * kRows + j / 4 * 8 + t % 4 * 2 + j % 2] = sums[j];
}

// Three warp groups of which two want more than the third gives back.
__global__ void __launch_bounds__(384, 1) registers(float* out) {
  if (threadIdx.x < 128) hotloop::setmaxnreg_dec<OR(6, 40, 80)>();
  else hotloop::setmaxnreg_inc<OR(6, 232, 224)>();  // 6: hang
  out[threadIdx.x] = 1;
}

int main() {
  constexpr unsigned k = 5 * kK;
  const auto a = numbers<bf16>(kRows * k, 5), b = numbers<bf16>(kRows * k, 7);
  float* const c = on_device(std::vector<float>(kRows * kRows));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, kRows}, {kK, kRows}, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, kRows}, {kK, kRows}, CU_TENSOR_MAP_SWIZZLE_128B);
  constexpr int bytes = 2 * kSlots * kRows * kK * sizeof(bf16) + 512;
  multiply<<<1, 256, bytes>>>(of_a, of_b, c, k / kK);
  CHECK_LAUNCH();
  registers<<<1, 384>>>(on_device(std::vector<float>(384)));
  CHECK_LAUNCH();
  return verdict(is_product(a, b, on_host(c, kRows * kRows), kRows, kRows, k));
}
