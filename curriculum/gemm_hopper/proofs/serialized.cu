// Three kernels: of two of them ptxas says that it serializes the products.
#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;

__device__ __forceinline__ uint64_t operand(const bf16* at) {
  return hotloop::wgmma_descriptor(at, 0, 1024, hotloop::swizzle::bytes_128);
}

__device__ __noinline__ void product(float (&sums)[32], uint64_t a, uint64_t b) { hotloop::wgmma<bf16>(sums, a, b, true); }

__global__ void __launch_bounds__(128, 1) early(const float* scale, float* out, int steps) {
  __shared__ alignas(1024) bf16 a[64 * 64], b[64 * 64];
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::wgmma_fence();
    for (int k = 0; k < 64; k += 16) hotloop::wgmma<bf16>(sums, operand(a + k), operand(b + k), true);
    hotloop::wgmma_commit_group();
    for (float& sum : sums) sum *= scale[i];
    hotloop::wgmma_wait_group<0>(sums);
  }
  for (int j = 0; j < 32; ++j) out[threadIdx.x * 32 + j] = sums[j];
}

__global__ void __launch_bounds__(128, 1) called(const float* scale, float* out, int steps) {
  __shared__ alignas(1024) bf16 a[64 * 64], b[64 * 64];
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::wgmma_fence();
    for (int k = 0; k < 64; k += 16) product(sums, operand(a + k), operand(b + k));
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    for (float& sum : sums) sum *= scale[i];
  }
  for (int j = 0; j < 32; ++j) out[threadIdx.x * 32 + j] = sums[j];
}

__global__ void __launch_bounds__(128, 1) right(const float* scale, float* out, int steps) {
  __shared__ alignas(1024) bf16 a[64 * 64], b[64 * 64];
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::wgmma_fence();
    for (int k = 0; k < 64; k += 16) hotloop::wgmma<bf16>(sums, operand(a + k), operand(b + k), true);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    for (float& sum : sums) sum *= scale[i];
  }
  for (int j = 0; j < 32; ++j) out[threadIdx.x * 32 + j] = sums[j];
}
