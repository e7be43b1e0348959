// The kernel of a question, with and without its bug.
#include "common.h"

__device__ uint64_t operand(const bf16* at) { return hotloop::wgmma_descriptor(at, 0, 1024, hotloop::swizzle::bytes_128); }

__global__ void __launch_bounds__(160) tile(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int steps) {
  __shared__ alignas(1024) bf16 tile_a[2][64 * 64], tile_b[2][64 * 64];
  __shared__ hotloop::mbarrier full[2], empty[2];
  const int t = threadIdx.x;  // a warp group that multiplies, then a producer warp
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t == 128) {
    for (int i = 0; i < steps; ++i) {
      hotloop::mbarrier_wait_parity(&empty[i % 2], i / 2 % 2 ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[i % 2], sizeof tile_a[0] + sizeof tile_b[0]);
      hotloop::tensor_load(tile_a[i % 2], &a, &full[i % 2], i * 64, 0);
      hotloop::tensor_load(tile_b[i % 2], &b, &full[i % 2], i * 64, 0);
    }
  }
  if (t >= 128) return;
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::mbarrier_wait_parity(&full[i % 2], i / 2 % 2);
    hotloop::wgmma_fence();
    for (int k = 0; k < 64; k += 16) hotloop::wgmma<bf16>(sums, operand(tile_a[i % 2] + k), operand(tile_b[i % 2] + k), true);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<1>(sums);
    if (t == 0) hotloop::mbarrier_arrive(&empty[i % 2]);
  }
  hotloop::wgmma_wait_group<0>(sums);
  for (int i = 0; i < 32; ++i) c[(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * 64 + i / 4 * 8 + t % 4 * 2 + i % 2] = sums[i];
}

__global__ void __launch_bounds__(160) tile_right(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int steps) {
  __shared__ alignas(1024) bf16 tile_a[2][64 * 64], tile_b[2][64 * 64];
  __shared__ hotloop::mbarrier full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t == 128) {
    for (int i = 0; i < steps; ++i) {
      hotloop::mbarrier_wait_parity(&empty[i % 2], i / 2 % 2 ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[i % 2], sizeof tile_a[0] + sizeof tile_b[0]);
      hotloop::tensor_load(tile_a[i % 2], &a, &full[i % 2], i * 64, 0);
      hotloop::tensor_load(tile_b[i % 2], &b, &full[i % 2], i * 64, 0);
    }
  }
  if (t >= 128) return;
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::mbarrier_wait_parity(&full[i % 2], i / 2 % 2);
    hotloop::wgmma_fence();
    for (int k = 0; k < 64; k += 16) hotloop::wgmma<bf16>(sums, operand(tile_a[i % 2] + k), operand(tile_b[i % 2] + k), true);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<1>(sums);
    if (t == 0 && i > 0) hotloop::mbarrier_arrive(&empty[(i - 1) % 2]);
  }
  hotloop::wgmma_wait_group<0>(sums);
  for (int i = 0; i < 32; ++i) c[(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * 64 + i / 4 * 8 + t % 4 * 2 + i % 2] = sums[i];
}

int main() {
  constexpr int k = 512;
  const auto a = numbers<bf16>(64 * k, 7), b = numbers<bf16>(64 * k, 5);
  const auto of_a = hotloop::tensor_map(on_device(a), 64, k, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto of_b = hotloop::tensor_map(on_device(b), 64, k, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  float* const c = on_device(std::vector<float>(64 * 64));
  if (FAULT) tile<<<1, 160>>>(of_a, of_b, c, k / 64); else tile_right<<<1, 160>>>(of_a, of_b, c, k / 64);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  bool is_right = true;
  for (int i = 0; i < 64 * 64; ++i) {
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += static_cast<float>(a[i / 64 * k + l]) * static_cast<float>(b[i % 64 * k + l]);
    is_right &= c[i] == sum;
  }
  return verdict(is_right);
}
