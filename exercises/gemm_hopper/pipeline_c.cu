// c = a · bᵀ of 64 × 64, bfloat16: a producer thread and a warp group with two products in flight, four stages of 64 along k.
#include <cstdio>
#include <vector>

#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;
constexpr int kSide = 64, kDepth = 64, kStages = 4;

__global__ void product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int steps) {
  extern __shared__ __align__(1024) bf16 memory[];
  bf16* const as = memory;
  bf16* const bs = memory + kStages * kSide * kDepth;
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x, lane = t % 32;
  if (t == 128) {
    for (int s = 0; s < kStages; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], 1);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= 128) {
    if (t > 128) return;
    for (int i = 0; i < steps; ++i) {
      const int s = i % kStages, round = i / kStages;
      hotloop::mbarrier_wait_parity(&empty[s], round & 1);
      hotloop::mbarrier_arrive_expect_tx(&full[s], 2 * kSide * kDepth * sizeof(bf16));
      hotloop::tensor_load(as + s * kSide * kDepth, &a, &full[s], i * kDepth, 0);
      hotloop::tensor_load(bs + s * kSide * kDepth, &b, &full[s], i * kDepth, 0);
    }
    return;
  }
  float sums[32];
  for (int i = 0; i < steps; ++i) {
    const int s = i % kStages, round = i / kStages;
    hotloop::mbarrier_wait_parity(&full[s], round & 1);
    hotloop::wgmma_fence();
    for (int depth = 0; depth < kDepth; depth += 16) {
      const auto of = [&](const bf16* tile) {
        return hotloop::wgmma_descriptor(tile + s * kSide * kDepth + depth, 0, 1024, hotloop::swizzle::bytes_128);
      };
      hotloop::wgmma<bf16>(sums, of(as), of(bs), i + depth > 0);
    }
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<1>(sums);
    if (i > 0 && t == 0) hotloop::mbarrier_arrive(&empty[(i - 1) % kStages]);
  }
  hotloop::wgmma_wait_group<0>(sums);
  for (int i = 0; i < 32; ++i) {
    const int row = t / 32 * 16 + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    c[row * kSide + column] = sums[i];
  }
}

int main() {
  constexpr int kSteps = 11, kK = kSteps * kDepth, kBytes = 2 * kStages * kSide * kDepth * sizeof(bf16);
  std::vector<bf16> ones(kSide * kK, bf16(1.0f));
  std::vector<float> result(kSide * kSide);
  bf16* x;
  float* c;
  cudaMalloc(&x, ones.size() * sizeof(bf16));
  cudaMalloc(&c, result.size() * sizeof(float));
  cudaMemcpy(x, ones.data(), ones.size() * sizeof(bf16), cudaMemcpyHostToDevice);
  const CUtensorMap map = hotloop::tensor_map(x, kSide, kK, kSide, kDepth, CU_TENSOR_MAP_SWIZZLE_128B);
  cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  product<<<1, 160, kBytes>>>(map, map, c, kSteps);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(result.data(), c, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result.front(), result.back());
}
