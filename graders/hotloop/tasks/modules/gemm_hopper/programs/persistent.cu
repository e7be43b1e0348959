// Launches persistent: a block of 384 threads for each multiprocessor.
#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;

static int multiprocessors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

__global__ void persistent(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int m, int n,
    int k);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int m = static_cast<int>(numbers[0]), n = static_cast<int>(numbers[1]), k = static_cast<int>(numbers[2]);
  const CUtensorMap a = hotloop::tensor_map(static_cast<const bf16*>(tensors[0]), m, k, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap b = hotloop::tensor_map(static_cast<const bf16*>(tensors[1]), n, k, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap c = hotloop::tensor_map(static_cast<const bf16*>(tensors[2]), m, n, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  const int tiles = m / 128 * (n / 128), most = multiprocessors();
  constexpr int kBytes = 164864;
  if (const cudaError_t error = cudaFuncSetAttribute(persistent, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes)) return error;
  persistent<<<tiles < most ? tiles : most, 384, kBytes>>>(a, b, c, m, n, k);
  return cudaGetLastError();
}
