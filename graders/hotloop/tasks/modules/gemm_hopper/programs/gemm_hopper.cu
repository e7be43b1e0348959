// Launches gemm_hopper: a block of 384 threads for 128 × 128 elements of c.
#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;

__global__ void gemm_hopper(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int m = static_cast<int>(numbers[0]), n = static_cast<int>(numbers[1]), k = static_cast<int>(numbers[2]);
  const CUtensorMap a = hotloop::tensor_map(static_cast<const bf16*>(tensors[0]), m, k, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap b = hotloop::tensor_map(static_cast<const bf16*>(tensors[1]), n, k, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  constexpr int kBytes = 132096;
  if (const cudaError_t error = cudaFuncSetAttribute(gemm_hopper, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes)) return error;
  gemm_hopper<<<dim3(m / 128, n / 128), 384, kBytes>>>(a, b, static_cast<float*>(tensors[2]), m, n, k);
  return cudaGetLastError();
}
