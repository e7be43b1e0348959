// Launches fp8_block_scaled: a block of 256 threads for 64 × 128 elements of c.
#include "hotloop/hopper.cuh"

using fp8 = __nv_fp8_e4m3;

__global__ void fp8_block_scaled(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const float* a_scales, const float* b_scales, float* c,
    int m, int n, int k);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int m = static_cast<int>(numbers[0]), n = static_cast<int>(numbers[1]), k = static_cast<int>(numbers[2]);
  const CUtensorMap a = hotloop::tensor_map(static_cast<const fp8*>(tensors[0]), m, k, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap b = hotloop::tensor_map(static_cast<const fp8*>(tensors[1]), n, k, 128, 128, CU_TENSOR_MAP_SWIZZLE_128B);
  constexpr int kBytes = 99328;
  if (const cudaError_t error = cudaFuncSetAttribute(fp8_block_scaled, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes)) return error;
  fp8_block_scaled<<<dim3(m / 64, n / 128), 256, kBytes>>>(a, b, static_cast<const float*>(tensors[2]),
      static_cast<const float*>(tensors[3]), static_cast<float*>(tensors[4]), m, n, k);
  return cudaGetLastError();
}
