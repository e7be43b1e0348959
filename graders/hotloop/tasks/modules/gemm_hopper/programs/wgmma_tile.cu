// Launches wgmma_tile: a block of 128 threads for 64 × 64 elements of c.
#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;

__global__ void wgmma_tile(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int m = static_cast<int>(numbers[0]), n = static_cast<int>(numbers[1]), k = static_cast<int>(numbers[2]);
  const CUtensorMap a = hotloop::tensor_map(static_cast<const bf16*>(tensors[0]), m, k, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap b = hotloop::tensor_map(static_cast<const bf16*>(tensors[1]), n, k, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  wgmma_tile<<<dim3(m / 64, n / 64), 128>>>(a, b, static_cast<float*>(tensors[2]), m, n, k);
  return cudaGetLastError();
}
