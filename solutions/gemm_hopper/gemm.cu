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
  // ### BEGIN SOLUTION gemm_hopper.wgmma_tile
  // ### STUB // Per 64 of k: two tensor loads on one mbarrier, four wgmma of 16, commit, wait.
  constexpr int kDepth = 64;
  __shared__ alignas(1024) bf16 tile_a[64 * kDepth], tile_b[64 * kDepth];
  __shared__ hotloop::mbarrier arrived;
  const int t = threadIdx.x, lane = t % 32;
  const int first_row = blockIdx.x * 64, first_column = blockIdx.y * 64;
  if (t == 0) {
    hotloop::mbarrier_init(&arrived, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  float sums[32];
  for (int step = 0; step < k / kDepth; ++step) {
    if (t == 0) {
      hotloop::mbarrier_arrive_expect_tx(&arrived, sizeof tile_a + sizeof tile_b);
      hotloop::tensor_load(tile_a, &a, &arrived, step * kDepth, first_row);
      hotloop::tensor_load(tile_b, &b, &arrived, step * kDepth, first_column);
    }
    hotloop::mbarrier_wait_parity(&arrived, step & 1);
    hotloop::wgmma_fence();
    for (int depth = 0; depth < kDepth; depth += 16) {
      // 8 rows of 128 bytes, then the next 8; a step of 16 along k is 32 bytes within the swizzled row.
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(tile_a + depth, 0, 1024, hotloop::swizzle::bytes_128),
                           hotloop::wgmma_descriptor(tile_b + depth, 0, 1024, hotloop::swizzle::bytes_128), step > 0 || depth > 0);
    }
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    // All four warps have waited for their products: the tiles may be overwritten.
    __syncthreads();
  }
  const int row = first_row + t / 32 * 16 + lane / 4, column = first_column + lane % 4 * 2;
  for (int j = 0; j < 8; ++j) {
    for (int half = 0; half < 2; ++half) {
      *reinterpret_cast<float2*>(c + static_cast<size_t>(row + 8 * half) * n + column + 8 * j) =
          make_float2(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
    }
  }
  // ### END SOLUTION
}

// 2. bfloat16 into float32, a producer and two groups of consumers for 128 × 128 elements. Boxes of a and of b: 128 rows, 64
//    of k.  <<<dim3(m / 128, n / 128), 384, 132096>>>: dynamic shared memory for four stages.
// ### BEGIN SOLUTION gemm_hopper.gemm_hopper
// ### STUB // At least three stages; setmaxnreg in both roles; one product in flight while the next one starts.
// ### STUB __global__ void gemm_hopper(
// ### STUB     const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {}
__global__ void __launch_bounds__(384, 1) gemm_hopper(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
  constexpr int kRows = 128, kDepth = 64, kStages = 4;
  struct Stage {
    bf16 a[kRows * kDepth], b[kRows * kDepth];
  };
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x, group = t / 128, lane = t % 32;
  const int first_row = blockIdx.x * kRows, first_column = blockIdx.y * kRows, steps = k / kDepth;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], 2);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (group == 2) {
    // The producer needs few registers; the consumers hold 64 sums a thread.
    hotloop::setmaxnreg_dec<40>();
    if (t != 256) return;
    for (int i = 0; i < steps; ++i) {
      const int slot = i % kStages, round = i / kStages;
      hotloop::mbarrier_wait_parity(&empty[slot], (round & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof(Stage));
      hotloop::tensor_load(stages[slot].a, &a, &full[slot], i * kDepth, first_row);
      hotloop::tensor_load(stages[slot].b, &b, &full[slot], i * kDepth, first_column);
    }
    return;
  }
  hotloop::setmaxnreg_inc<232>();
  float sums[64];
  for (int i = 0; i < steps; ++i) {
    const int slot = i % kStages, round = i / kStages;
    const Stage& stage = stages[slot];
    hotloop::mbarrier_wait_parity(&full[slot], round & 1);
    hotloop::wgmma_fence();
    for (int depth = 0; depth < kDepth; depth += 16) {
      const bf16* const rows = stage.a + group * 64 * kDepth + depth;
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(rows, 0, 1024, hotloop::swizzle::bytes_128),
                           hotloop::wgmma_descriptor(stage.b + depth, 0, 1024, hotloop::swizzle::bytes_128), i > 0 || depth > 0);
    }
    hotloop::wgmma_commit_group();
    // The products of the step before are complete, and its slot goes back. Those of this step are in flight.
    hotloop::wgmma_wait_group<1>(sums);
    if (i > 0 && t % 128 == 0) hotloop::mbarrier_arrive(&empty[(i - 1) % kStages]);
  }
  hotloop::wgmma_wait_group<0>(sums);
  const int row = first_row + group * 64 + t % 128 / 32 * 16 + lane / 4, column = first_column + lane % 4 * 2;
  for (int j = 0; j < 16; ++j) {
    for (int half = 0; half < 2; ++half) {
      *reinterpret_cast<float2*>(c + static_cast<size_t>(row + 8 * half) * n + column + 8 * j) =
          make_float2(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
    }
  }
}
// ### END SOLUTION

// 3. As 2., with c in bfloat16 and a tensor map of it: boxes of 64 × 64 with a swizzle of 128 bytes. Persistent: block i has the tiles
//    i, i + gridDim.x, … of 128 × 128.  <<<min(tiles, SMs), 384, 164864>>>: four stages and a tile of c.
__global__ void __launch_bounds__(384, 1) persistent(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int m, int n,
    int k) {
  // ### BEGIN SOLUTION gemm_hopper.persistent
  // ### STUB // Both roles walk along the same tiles; the producer never waits for an epilogue.
  constexpr int kRows = 128, kDepth = 64, kStages = 4;
  struct Stage {
    bf16 a[kRows * kDepth], b[kRows * kDepth];
  };
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x, group = t / 128, lane = t % 32;
  const int down = m / kRows, tiles = down * (n / kRows), steps = k / kDepth;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], 2);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  // Steps of all tiles are numbered through: slots and parities do not begin anew with a tile.
  int step = 0;
  if (group == 2) {
    hotloop::setmaxnreg_dec<40>();
    if (t != 256) return;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      for (int i = 0; i < steps; ++i, ++step) {
        const int slot = step % kStages, round = step / kStages;
        hotloop::mbarrier_wait_parity(&empty[slot], (round & 1) ^ 1);
        hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof(Stage));
        hotloop::tensor_load(stages[slot].a, &a, &full[slot], i * kDepth, tile % down * kRows);
        hotloop::tensor_load(stages[slot].b, &b, &full[slot], i * kDepth, tile / down * kRows);
      }
    }
    return;
  }
  hotloop::setmaxnreg_inc<232>();
  // This group's 64 rows of the tile, as two boxes of 64 columns.
  bf16* const result = reinterpret_cast<bf16*>(stages + kStages) + group * 64 * 128;
  float sums[64];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int i = 0; i < steps; ++i, ++step) {
      const int slot = step % kStages, round = step / kStages;
      const Stage& stage = stages[slot];
      hotloop::mbarrier_wait_parity(&full[slot], round & 1);
      hotloop::wgmma_fence();
      for (int depth = 0; depth < kDepth; depth += 16) {
        const bf16* const rows = stage.a + group * 64 * kDepth + depth;
        hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(rows, 0, 1024, hotloop::swizzle::bytes_128),
                             hotloop::wgmma_descriptor(stage.b + depth, 0, 1024, hotloop::swizzle::bytes_128), i > 0 || depth > 0);
      }
      hotloop::wgmma_commit_group();
      hotloop::wgmma_wait_group<1>(sums);
      if (i > 0 && t % 128 == 0) hotloop::mbarrier_arrive(&empty[(step - 1) % kStages]);
    }
    hotloop::wgmma_wait_group<0>(sums);
    // The last slot goes back before the epilogue, so that the producer fills it meanwhile.
    if (t % 128 == 0) {
      hotloop::mbarrier_arrive(&empty[(step - 1) % kStages]);
      // The store of the tile before has read `result`.
      hotloop::bulk_wait_group_read<0>();
    }
    hotloop::barrier_sync(1 + group, 128);
    for (int j = 0; j < 16; ++j) {
      for (int half = 0; half < 2; ++half) {
        const int row = t % 128 / 32 * 16 + lane / 4 + 8 * half;
        const int place = j / 8 * 64 * 64 + row * 64 + (j % 8 ^ row % 8) * 8 + lane % 4 * 2;
        *reinterpret_cast<__nv_bfloat162*>(result + place) = __floats2bfloat162_rn(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
      }
    }
    hotloop::fence_proxy_async();
    hotloop::barrier_sync(1 + group, 128);
    if (t % 128 == 0) {
      const int row = tile % down * kRows + group * 64, column = tile / down * kRows;
      hotloop::tensor_store(&c, result, column, row);
      hotloop::tensor_store(&c, result + 64 * 64, column + 64, row);
      hotloop::bulk_commit_group();
    }
  }
  if (t % 128 == 0) hotloop::bulk_wait_group_read<0>();
  // ### END SOLUTION
}

// 4. e4m3 into float32, with scales: a_scales [k / 128, m] for 1 × 128 of a, b_scales [n / 128, k / 128] for 128 × 128 of b. Boxes: 64 rows of
//    a, 128 of b, 128 of k.  <<<dim3(m / 64, n / 128), 256, 99328>>>: warps 0 to 3 multiply, thread 128 copies; four stages.
__global__ void __launch_bounds__(256, 1) fp8_block_scaled(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const float* a_scales, const float* b_scales, float* c,
    int m, int n, int k) {
  // ### BEGIN SOLUTION gemm_hopper.fp8_block_scaled
  // ### STUB // The sum of each 128 of k is scaled and added to a float32 total in registers.
  using fp8 = __nv_fp8_e4m3;
  constexpr int kRows = 64, kColumns = 128, kDepth = 128, kStages = 4;
  struct Stage {
    fp8 a[kRows * kDepth], b[kColumns * kDepth];
  };
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  __shared__ hotloop::mbarrier full[kStages], empty[kStages];
  const int t = threadIdx.x, lane = t % 32;
  const int first_row = blockIdx.x * kRows, first_column = blockIdx.y * kColumns, steps = k / kDepth;
  if (t == 0) {
    for (int s = 0; s < kStages; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], 1);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= 128) {
    if (t != 128) return;
    for (int i = 0; i < steps; ++i) {
      const int slot = i % kStages, round = i / kStages;
      hotloop::mbarrier_wait_parity(&empty[slot], (round & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof(Stage));
      hotloop::tensor_load(stages[slot].a, &a, &full[slot], i * kDepth, first_row);
      hotloop::tensor_load(stages[slot].b, &b, &full[slot], i * kDepth, first_column);
    }
    return;
  }
  const int row = first_row + t / 32 * 16 + lane / 4;
  float totals[64] = {}, sums[64];
  for (int i = 0; i < steps; ++i) {
    const int slot = i % kStages, round = i / kStages;
    const Stage& stage = stages[slot];
    const float scale = b_scales[static_cast<size_t>(blockIdx.y) * steps + i];
    const float scales[2] = {scale * a_scales[static_cast<size_t>(i) * m + row], scale * a_scales[static_cast<size_t>(i) * m + row + 8]};
    hotloop::mbarrier_wait_parity(&full[slot], round & 1);
    hotloop::wgmma_fence();
    for (int depth = 0; depth < kDepth; depth += 32) {
      hotloop::wgmma<fp8>(sums, hotloop::wgmma_descriptor(stage.a + depth, 0, 1024, hotloop::swizzle::bytes_128),
                          hotloop::wgmma_descriptor(stage.b + depth, 0, 1024, hotloop::swizzle::bytes_128), depth > 0);
    }
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    if (t == 0) hotloop::mbarrier_arrive(&empty[slot]);
    // The tensor cores keep fewer bits of a sum of 8-bit products than float32 has: go on in float32.
    for (int j = 0; j < 64; ++j) totals[j] += scales[j / 2 % 2] * sums[j];
  }
  for (int j = 0; j < 16; ++j) {
    for (int half = 0; half < 2; ++half) {
      *reinterpret_cast<float2*>(c + static_cast<size_t>(row + 8 * half) * n + first_column + lane % 4 * 2 + 8 * j) =
          make_float2(totals[4 * j + 2 * half], totals[4 * j + 2 * half + 1]);
    }
  }
  // ### END SOLUTION
}
