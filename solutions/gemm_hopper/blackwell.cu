// A matrix product on Blackwell: c = a · bᵀ, sums in tensor memory. Compiled for sm_100a, not simulated.
#include "hotloop/blackwell.cuh"

using bf16 = __nv_bfloat16;

// bfloat16 into float32, 128 × 64 elements of c for each block. Boxes: 128 rows of a, 64 of b, 64 of k, swizzle of 128 bytes.
// <<<dim3(m / 128, n / 64), 128>>>
__global__ void __launch_bounds__(128) tensor_memory(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
  // ### BEGIN SOLUTION gemm_hopper.tensor_memory
  // ### STUB // Allocate columns, start products by one thread, commit them to an mbarrier, load the sums, give the columns back.
  constexpr int kDepth = 64, kColumns = 64;
  __shared__ alignas(1024) bf16 tile_a[128 * kDepth], tile_b[kColumns * kDepth];
  __shared__ hotloop::mbarrier arrived, multiplied;
  __shared__ uint32_t allocated;
  const int t = threadIdx.x, warp = t / 32;
  const int first_row = blockIdx.x * 128, first_column = blockIdx.y * kColumns;
  if (warp == 0) {
    hotloop::tmem_alloc(&allocated, kColumns);
    hotloop::tmem_relinquish();
  }
  if (t == 0) {
    hotloop::mbarrier_init(&arrived, 1);
    hotloop::mbarrier_init(&multiplied, 1);
    hotloop::fence_mbarrier_init();
  }
  hotloop::tmem_fence_before_sync();
  __syncthreads();
  hotloop::tmem_fence_after_sync();
  const uint32_t sums = allocated;
  if (t == 0) {
    for (int step = 0; step < k / kDepth; ++step) {
      hotloop::mbarrier_arrive_expect_tx(&arrived, sizeof tile_a + sizeof tile_b);
      hotloop::tensor_load(tile_a, &a, &arrived, step * kDepth, first_row);
      hotloop::tensor_load(tile_b, &b, &arrived, step * kDepth, first_column);
      hotloop::mbarrier_wait_parity(&arrived, step & 1);
      for (int depth = 0; depth < kDepth; depth += 16) {
        hotloop::umma_bf16(sums, hotloop::umma_descriptor(tile_a + depth, 1024), hotloop::umma_descriptor(tile_b + depth, 1024),
                           hotloop::umma_instruction(128, kColumns), step > 0 || depth > 0);
      }
      // One thread has started the products, and the barrier says when they are complete.
      hotloop::umma_commit(&multiplied);
      hotloop::mbarrier_wait_parity(&multiplied, step & 1);
    }
  }
  hotloop::tmem_fence_before_sync();
  __syncthreads();
  hotloop::tmem_fence_after_sync();
  // Lane l of tensor memory has row l of the tile; a warp can load its own 32 lanes.
  float* const row = c + static_cast<size_t>(first_row + t) * n + first_column;
  for (int column = 0; column < kColumns; column += 32) {
    float loaded[32];
    hotloop::tmem_load(loaded, sums + (static_cast<uint32_t>(warp * 32) << 16) + column);
    for (int i = 0; i < 32; i += 4) {
      *reinterpret_cast<float4*>(row + column + i) = make_float4(loaded[i], loaded[i + 1], loaded[i + 2], loaded[i + 3]);
    }
  }
  hotloop::tmem_fence_before_sync();
  __syncthreads();
  if (warp == 0) hotloop::tmem_dealloc(sums, kColumns);
  // ### END SOLUTION
}
