// A matrix product on Blackwell: c = a · bᵀ, sums in tensor memory. Compiled for sm_100a, not simulated.
#include "hotloop/blackwell.cuh"

using bf16 = __nv_bfloat16;

// bfloat16 into float32, 128 × 64 elements of c for each block. Boxes: 128 rows of a, 64 of b, 64 of k, swizzle of 128 bytes.
// <<<dim3(m / 128, n / 64), 128>>>
__global__ void __launch_bounds__(128) tensor_memory(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
  // ### TASK gemm_hopper.tensor_memory
  // Allocate columns, start products by one thread, commit them to an mbarrier, load the sums, give the columns back.
}
