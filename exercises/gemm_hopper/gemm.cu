// Four matrix products on wgmma: c = a · bᵀ.
//
// a: [m, k], b: [n, k], c: [m, n], row-major and without gaps, so that the rows of both operands go along k. Kernels get
// tensor maps of a and b, made with a swizzle of 128 bytes. m, n and k are multiples of the tiles.
// With nvcc: -gencode arch=compute_90a,code=sm_90a; hopper.cuh lies in hotloop/worker/include.
#include "hotloop/hopper.cuh"

using bf16 = __nv_bfloat16;

// 1. bfloat16 into float32, one warp group for 64 × 64 elements. Boxes of a and of b: 64 rows, 64 of k.
//    <<<dim3(m / 64, n / 64), 128>>>
__global__ void wgmma_tile(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
  // ### TASK gemm_hopper.wgmma_tile
  // Per 64 of k: two tensor loads on one mbarrier, four wgmma of 16, commit, wait.
}

// 2. bfloat16 into float32, a producer and two groups of consumers for 128 × 128 elements. Boxes of a and of b: 128 rows, 64
//    of k.  <<<dim3(m / 128, n / 128), 384, 132096>>>: dynamic shared memory for four stages.
// ### TASK gemm_hopper.gemm_hopper
// At least three stages; setmaxnreg in both roles; one product in flight while the next one starts.
__global__ void gemm_hopper(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {}

// 3. As 2., with c in bfloat16 and a tensor map of it: boxes of 64 × 64 with a swizzle of 128 bytes. Persistent: block i has the tiles
//    i, i + gridDim.x, … of 128 × 128.  <<<min(tiles, SMs), 384, 164864>>>: four stages and a tile of c.
__global__ void __launch_bounds__(384, 1) persistent(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int m, int n,
    int k) {
  // ### TASK gemm_hopper.persistent
  // Both roles walk along the same tiles; the producer never waits for an epilogue.
}

// 4. e4m3 into float32, with scales: a_scales [k / 128, m] for 1 × 128 of a, b_scales [n / 128, k / 128] for 128 × 128 of b. Boxes: 64 rows of
//    a, 128 of b, 128 of k.  <<<dim3(m / 64, n / 128), 256, 99328>>>: warps 0 to 3 multiply, thread 128 copies; four stages.
__global__ void __launch_bounds__(256, 1) fp8_block_scaled(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const float* a_scales, const float* b_scales, float* c,
    int m, int n, int k) {
  // ### TASK gemm_hopper.fp8_block_scaled
  // The sum of each 128 of k is scaled and added to a float32 total in registers.
}
