// Four kernels whose data moves by bulk copies: mbarriers, a ring of two slots, stores, tiles of a tensor map.
//
// Run a kernel with your own main(): hotloop cuda run, also with --check; with nvcc -gencode arch=compute_90a,code=sm_90a,
// hopper.cuh lies in hotloop/worker/include.
#include "hotloop/hopper.cuh"

// 1. out is `in` with each tile of 1,024 numbers in reverse order; count is a multiple of 1,024.  <<<count / 1024, 256>>>
__global__ void bulk_copy(const float* in, float* out, int count) {
  // ### BEGIN SOLUTION gemm_hopper.bulk_copy
  // ### STUB // Initialize an mbarrier, expect the bytes of a tile, start one copy, wait for its phase.
  __shared__ alignas(128) float tile[1024];
  __shared__ hotloop::mbarrier arrived;
  const int t = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * 1024;
  if (t == 0) {
    hotloop::mbarrier_init(&arrived, 1);
    hotloop::fence_mbarrier_init();
    hotloop::mbarrier_arrive_expect_tx(&arrived, sizeof tile);
    hotloop::bulk_load(tile, in + first, sizeof tile, &arrived);
  }
  // Before this barrier the others must not touch the mbarrier: it may not be initialized.
  __syncthreads();
  hotloop::mbarrier_wait_parity(&arrived, 0);
  for (int i = t; i < 1024; i += 256) out[first + i] = tile[1023 - i];
  // ### END SOLUTION
}

// 2. out[b][j] is the sum of in[b][s][j] over all steps s; width is 1,024.  <<<blocks, 160>>>: four warps add, one copies.
__global__ void two_slots(const float* in, float* out, int blocks, int width, int steps) {
  // ### BEGIN SOLUTION gemm_hopper.two_slots
  // ### STUB // Two slots, each with a full and an empty mbarrier. Warp 4 fills them, warps 0 to 3 use them.
  constexpr int kSlots = 2, kChunk = 1024, kConsumers = 128;
  __shared__ alignas(128) float slots[kSlots][kChunk];
  __shared__ hotloop::mbarrier full[kSlots], empty[kSlots];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < kSlots; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], kConsumers / 32);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= kConsumers) {
    if (t > kConsumers) return;
    const float* from = in + static_cast<size_t>(blockIdx.x) * steps * kChunk;
    for (int i = 0; i < steps; ++i) {
      const int slot = i % kSlots, round = i / kSlots;
      // In round 0 the slot is empty: the phase before the first one has parity 1 and counts as complete.
      hotloop::mbarrier_wait_parity(&empty[slot], (round & 1) ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof slots[slot]);
      hotloop::bulk_load(slots[slot], from + static_cast<size_t>(i) * kChunk, sizeof slots[slot], &full[slot]);
    }
    return;
  }
  float sums[kChunk / kConsumers] = {};
  for (int i = 0; i < steps; ++i) {
    const int slot = i % kSlots, round = i / kSlots;
    hotloop::mbarrier_wait_parity(&full[slot], round & 1);
    for (int j = 0; j < kChunk / kConsumers; ++j) sums[j] += slots[slot][t + kConsumers * j];
    // Lane 0 arrives for its warp, once all of its lanes have read.
    __syncwarp();
    if (t % 32 == 0) hotloop::mbarrier_arrive(&empty[slot]);
  }
  for (int j = 0; j < kChunk / kConsumers; ++j) out[static_cast<size_t>(blockIdx.x) * kChunk + t + kConsumers * j] = sums[j];
  // ### END SOLUTION
}

// 3. out = in · in, element by element, both [rows, 1024]. Persistent: block b has the rows b, b + gridDim.x, …
//    <<<min(rows, any number of blocks), 128>>>
__global__ void store_back(const float* in, float* out, int rows, int columns) {
  // ### BEGIN SOLUTION gemm_hopper.store_back
  // ### STUB // Load a row, write its squares to one of two buffers, and let a bulk store take them back.
  constexpr int kRow = 1024;
  __shared__ alignas(128) float loaded[kRow], squares[2][kRow];
  __shared__ hotloop::mbarrier full;
  const int t = threadIdx.x;
  if (t == 0) {
    hotloop::mbarrier_init(&full, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  int round = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x, ++round) {
    const size_t first = static_cast<size_t>(row) * kRow;
    float* const buffer = squares[round % 2];
    if (t == 0) {
      hotloop::mbarrier_arrive_expect_tx(&full, sizeof loaded);
      hotloop::bulk_load(loaded, in + first, sizeof loaded, &full);
      // The store of the round before the last one has read this buffer.
      hotloop::bulk_wait_group_read<1>();
    }
    hotloop::mbarrier_wait_parity(&full, round & 1);
    __syncthreads();
    for (int i = t; i < kRow; i += 128) buffer[i] = loaded[i] * loaded[i];
    // Each thread's stores for the other proxy, then all threads' for the one that starts the copy.
    hotloop::fence_proxy_async();
    __syncthreads();
    if (t == 0) {
      hotloop::bulk_store(out + first, buffer, kRow * sizeof(float));
      hotloop::bulk_commit_group();
    }
  }
  // Shared memory must outlive the stores that read it.
  if (t == 0) hotloop::bulk_wait_group_read<0>();
  // ### END SOLUTION
}

// 4. out [n, m] is the transpose of a float32 matrix [m, n]. `in` is its tensor map: boxes of 32 × 32, swizzle of 128 bytes.
//    n is a multiple of 4, m is any.  <<<dim3(ceil(n / 32), ceil(m / 32)), 256>>>
__global__ void tensor_tile(const __grid_constant__ CUtensorMap in, float* out, int n, int m) {
  // ### BEGIN SOLUTION gemm_hopper.tensor_tile
  // ### STUB // One tensor_load, then read each element at the place where the swizzle has put it.
  __shared__ alignas(1024) float tile[32 * 32];
  __shared__ hotloop::mbarrier arrived;
  const int t = threadIdx.x, lane = t % 32;
  const int first_column = blockIdx.x * 32, first_row = blockIdx.y * 32;
  if (t == 0) {
    hotloop::mbarrier_init(&arrived, 1);
    hotloop::fence_mbarrier_init();
    // What lies outside of the matrix arrives as zeros, and counts.
    hotloop::mbarrier_arrive_expect_tx(&arrived, sizeof tile);
    hotloop::tensor_load(tile, &in, &arrived, first_column, first_row);
  }
  __syncthreads();
  hotloop::mbarrier_wait_parity(&arrived, 0);
  // A warp takes 8 rows × 4 columns at a time: 8 different chunks of 16 bytes, and 4 whole sectors of out.
  for (int group = t / 32; group < 32; group += 8) {
    const int row = group % 4 * 8 + lane % 8, column = group / 4 * 4 + lane / 8;
    const float value = tile[row * 32 + (column / 4 ^ row % 8) * 4 + column % 4];
    if (first_column + column < n && first_row + row < m) {
      out[static_cast<size_t>(first_column + column) * m + first_row + row] = value;
    }
  }
  // ### END SOLUTION
}
