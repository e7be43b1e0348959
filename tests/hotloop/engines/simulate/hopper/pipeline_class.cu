// A pipeline as a class with states of index and phase, as libraries have it: a k-loop with a prologue, the slot of the product
// before given back, two warp groups on halves of n, and an epilogue that writes registers to memory itself.
#include "common.h"

template <int kStages>
struct State {
  int index = 0;
  unsigned phase = 0;
  __device__ void operator++() {
    if (++index == kStages) index = 0, phase ^= 1;
  }
};

template <int kStages>
struct Pipeline {
  hotloop::mbarrier full[kStages], empty[kStages];

  __device__ void begin(unsigned consumers) {
    for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], consumers);
    hotloop::fence_mbarrier_init();
  }
  __device__ void acquire(const State<kStages>& state, unsigned bytes) {
    hotloop::mbarrier_wait_parity(&empty[state.index], state.phase ^ OR(1, 1, 0));  // 1: hang 3: hang
    hotloop::mbarrier_arrive_expect_tx(&full[state.index], bytes);
  }
  __device__ void wait(const State<kStages>& state) { hotloop::mbarrier_wait_parity(&full[state.index], state.phase); }
  __device__ void release(const State<kStages>& state) { hotloop::mbarrier_arrive(&empty[state.index]); }
};

constexpr int kM = 64, kN = 128, kK = 32, kStages = 3;

__global__ void __launch_bounds__(384, 1) multiply(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n, int steps) {
  __shared__ alignas(1024) bf16 tile_a[kStages][kM * kK], tile_b[kStages][kN * kK];
  __shared__ Pipeline<kStages> pipeline;
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) pipeline.begin(2 * 128);
  __syncthreads();
  State<kStages> state;
  if (group == 2) {
    if (threadIdx.x % 128 != 0) return;
    for (int i = 0; i < steps; ++i, ++state) {
      pipeline.acquire(state, sizeof tile_a[0] + sizeof tile_b[0]);
      hotloop::tensor_load(tile_a[state.index], &a, &pipeline.full[state.index], i * kK, blockIdx.y * kM);  // 2: race
      hotloop::tensor_load(tile_b[state.index], &b, &pipeline.full[state.index], i * kK, blockIdx.x * kN);  // 2: race
    }
    return;
  }
  float sums[32];
  for (float& sum : sums) sum = 0;
  const auto product = [&](const State<kStages>& at) {
    pipeline.wait(at);
    hotloop::wgmma_fence();
    for (int k = 0; k < kK; k += 16) {
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(tile_a[at.index] + k, 0, 8 * kK * 2, hotloop::swizzle::bytes_64),  // 2: race
                           hotloop::wgmma_descriptor(tile_b[at.index] + group * 64 * kK + k, 0, 8 * kK * 2, hotloop::swizzle::bytes_64), true);
    }
    hotloop::wgmma_commit_group();
  };
  State<kStages> behind;
  product(state);
  ++state;
  for (int i = 1; i < steps; ++i, ++state, ++behind) {
    product(state);
    if (FAULT != 2) hotloop::wgmma_wait_group<1>(sums);
    pipeline.release(OR(3, behind, state));
  }
  hotloop::wgmma_wait_group<0>(sums);
  const unsigned t = threadIdx.x % 128, row = blockIdx.y * kM + t / 32 * 16 + t % 32 / 4, column = blockIdx.x * kN + group * 64 + t % 4 * 2;
  for (unsigned i = 0; i < 32; ++i) c[(row + 8 * (i / 2 % 2)) * n + column + i / 4 * 8 + i % 2] = sums[i];
}

int main() {
  constexpr unsigned m = 128, n = 256, k = 288;
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  float* const c = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  multiply<<<dim3(n / kN, m / kM), 384>>>(of_a, of_b, c, n, k / kK);
  CHECK_LAUNCH();
  const auto got = on_host(c, m * n);
  bool is_right = true;
  for (unsigned i = 0; i < m * n; ++i) {
    float sum = 0;
    for (unsigned l = 0; l < k; ++l) sum += static_cast<float>(a[i / n * k + l]) * static_cast<float>(b[i % n * k + l]);
    is_right &= got[i] == sum;
  }
  return verdict(is_right);
}
