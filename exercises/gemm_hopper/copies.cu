// Four kernels whose data moves by bulk copies: mbarriers, a ring of two slots, stores, tiles of a tensor map.
//
// Run a kernel with your own main(): hotloop cuda run, also with --check; with nvcc -gencode arch=compute_90a,code=sm_90a,
// hopper.cuh lies in hotloop/worker/include.
#include "hotloop/hopper.cuh"

// 1. out is `in` with each tile of 1,024 numbers in reverse order; count is a multiple of 1,024.  <<<count / 1024, 256>>>
__global__ void bulk_copy(const float* in, float* out, int count) {
  // ### TASK gemm_hopper.bulk_copy
  // Initialize an mbarrier, expect the bytes of a tile, start one copy, wait for its phase.
}

// 2. out[b][j] is the sum of in[b][s][j] over all steps s; width is 1,024.  <<<blocks, 160>>>: four warps add, one copies.
__global__ void two_slots(const float* in, float* out, int blocks, int width, int steps) {
  // ### TASK gemm_hopper.two_slots
  // Two slots, each with a full and an empty mbarrier. Warp 4 fills them, warps 0 to 3 use them.
}

// 3. out = in · in, element by element, both [rows, 1024]. Persistent: block b has the rows b, b + gridDim.x, …
//    <<<min(rows, any number of blocks), 128>>>
__global__ void store_back(const float* in, float* out, int rows, int columns) {
  // ### TASK gemm_hopper.store_back
  // Load a row, write its squares to one of two buffers, and let a bulk store take them back.
}

// 4. out [n, m] is the transpose of a float32 matrix [m, n]. `in` is its tensor map: boxes of 32 × 32, swizzle of 128 bytes.
//    n is a multiple of 4, m is any.  <<<dim3(ceil(n / 32), ceil(m / 32)), 256>>>
__global__ void tensor_tile(const __grid_constant__ CUtensorMap in, float* out, int n, int m) {
  // ### TASK gemm_hopper.tensor_tile
  // One tensor_load, then read each element at the place where the swizzle has put it.
}
