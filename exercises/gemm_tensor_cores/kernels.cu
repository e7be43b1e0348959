// Four matrix products in CUDA C++: c = a · b.
//
// a: [m, k], b: [k, n], c: [m, n], row-major and without gaps. Run a kernel with your own main(): hotloop cuda
// run, also with --check; with nvcc, tensor_cores.cuh lies in hotloop/worker/include.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "hotloop/tensor_cores.cuh"

using bf16 = __nv_bfloat16;

// 1. float32, without tensor cores. m and n are multiples of 64, k of 16.  <<<dim3(m / 64, n / 64), 256>>>
__global__ void warp_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  // ### TASK gemm_tensor_cores.warp_tiled
  // A block has 64 × 64 elements of c. How many of them are this thread's?
}

// 2. bfloat16 into float32, one warp for 16 × 16 elements. m, n and k are multiples of 16.
//    <<<dim3(m / 16, n / 16), 32>>>
__global__ void mma_tile(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  // ### TASK gemm_tensor_cores.mma_tile
  // 16 × 16 of a and of b into shared memory, then ldmatrix, then mma; along k.
}

// 3. bfloat16 into float32, four warps for 64 × 64 elements, tiles of 64 × 64 in shared memory without padding
//    and without bank conflicts. m, n and k are multiples of 64.  <<<dim3(m / 64, n / 64), 128>>>
// ### TASK gemm_tensor_cores.swizzle
__global__ void swizzle(const bf16* a, const bf16* b, float* c, int m, int n, int k) {}

// 4. As 3., with the next tiles on their way while these are multiplied; padding is allowed.
//    <<<dim3(m / 64, n / 64), 128>>>
__global__ void pipelined(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  // ### TASK gemm_tensor_cores.pipelined
  // Two stages of tiles. Wait for one, start the copies of the next one, multiply.
}
