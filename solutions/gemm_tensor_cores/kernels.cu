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
  // ### BEGIN SOLUTION gemm_tensor_cores.warp_tiled
  // ### STUB // A block has 64 × 64 elements of c. How many of them are this thread's?
  __shared__ alignas(16) float rows[64][16], columns[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const int first_row = blockIdx.x * 64, first_column = blockIdx.y * 64;
  // This thread has the rows y, y + 16, … and the columns 4x to 4x + 3.
  float sums[4][4] = {};
  for (int first = 0; first < k; first += 16) {
    const float4* from_a =
        reinterpret_cast<const float4*>(a + static_cast<size_t>(first_row + t / 4) * k + first + t % 4 * 4);
    const float4* from_b = reinterpret_cast<const float4*>(b + static_cast<size_t>(first + y) * n + first_column + x * 4);
    *reinterpret_cast<float4*>(&rows[t / 4][t % 4 * 4]) = *from_a;
    *reinterpret_cast<float4*>(&columns[y][x * 4]) = *from_b;
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const float4 v = *reinterpret_cast<const float4*>(&columns[i][x * 4]);
      for (int r = 0; r < 4; ++r) {
        const float u = rows[y + 16 * r][i];
        sums[r][0] += u * v.x;
        sums[r][1] += u * v.y;
        sums[r][2] += u * v.z;
        sums[r][3] += u * v.w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    float4* to = reinterpret_cast<float4*>(c + static_cast<size_t>(first_row + y + 16 * r) * n + first_column + x * 4);
    *to = make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
  }
  // ### END SOLUTION
}

// 2. bfloat16 into float32, one warp for 16 × 16 elements. m, n and k are multiples of 16.
//    <<<dim3(m / 16, n / 16), 32>>>
__global__ void mma_tile(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  // ### BEGIN SOLUTION gemm_tensor_cores.mma_tile
  // ### STUB // 16 × 16 of a and of b into shared memory, then ldmatrix, then mma; along k.
  // Rows of 48 bytes: the 8 rows that ldmatrix reads at a time lie in 32 different banks.
  __shared__ alignas(16) bf16 rows[16][24], columns[16][24];
  const int lane = threadIdx.x, first_row = blockIdx.x * 16, first_column = blockIdx.y * 16;
  const int row = lane % 16, half = lane / 16 * 8;
  float sums[2][4] = {};
  for (int first = 0; first < k; first += 16) {
    const bf16* from_a = a + static_cast<size_t>(first_row + row) * k + first + half;
    const bf16* from_b = b + static_cast<size_t>(first + row) * n + first_column + half;
    *reinterpret_cast<uint4*>(&rows[row][half]) = *reinterpret_cast<const uint4*>(from_a);
    *reinterpret_cast<uint4*>(&columns[row][half]) = *reinterpret_cast<const uint4*>(from_b);
    __syncwarp();
    uint32_t fa[4], fb[4];
    hotloop::ldmatrix_x4(fa, &rows[row][half]);
    // b lies in memory row by row, and a lane needs neighbors of a column.
    hotloop::ldmatrix_x4_trans(fb, &columns[row][half]);
    hotloop::mma_m16n8k16<bf16>(sums[0], fa, {fb[0], fb[1]});
    hotloop::mma_m16n8k16<bf16>(sums[1], fa, {fb[2], fb[3]});
    __syncwarp();
  }
  for (int i = 0; i < 8; ++i) {
    const int r = first_row + lane / 4 + i / 2 % 2 * 8, column = first_column + i / 4 * 8 + lane % 4 * 2 + i % 2;
    c[static_cast<size_t>(r) * n + column] = sums[i / 4][i % 4];
  }
  // ### END SOLUTION
}

// 3. bfloat16 into float32, four warps for 64 × 64 elements, tiles of 64 × 64 in shared memory without padding
//    and without bank conflicts. m, n and k are multiples of 64.  <<<dim3(m / 64, n / 64), 128>>>
// ### BEGIN SOLUTION gemm_tensor_cores.swizzle
// ### STUB __global__ void swizzle(const bf16* a, const bf16* b, float* c, int m, int n, int k) {}
// Where an element of a tile lies. A row has 8 chunks of 16 bytes, and row r has them in the order c ^ (r % 8): a
// column of chunks then lies in all 32 banks.
__device__ int swizzled(int row, int column) { return row * 64 + (column / 8 ^ row % 8) * 8 + column % 8; }

__global__ void swizzle(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  __shared__ alignas(16) bf16 rows[64 * 64], columns[64 * 64];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int first_row = blockIdx.x * 64, first_column = blockIdx.y * 64;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  float sums[2][4][4] = {};
  for (int first = 0; first < k; first += 64) {
    for (int i = t; i < 64 * 8; i += 128) {
      const int row = i / 8, column = i % 8 * 8;
      const bf16* from_a = a + static_cast<size_t>(first_row + row) * k + first + column;
      const bf16* from_b = b + static_cast<size_t>(first + row) * n + first_column + column;
      *reinterpret_cast<uint4*>(rows + swizzled(row, column)) = *reinterpret_cast<const uint4*>(from_a);
      *reinterpret_cast<uint4*>(columns + swizzled(row, column)) = *reinterpret_cast<const uint4*>(from_b);
    }
    __syncthreads();
    for (int depth = 0; depth < 64; depth += 16) {
      uint32_t fa[2][4], fb[2][4];
      for (int i = 0; i < 2; ++i) {
        hotloop::ldmatrix_x4(fa[i], rows + swizzled(warp_row + 16 * i + lane % 16, depth + lane / 16 * 8));
        hotloop::ldmatrix_x4_trans(fb[i], columns + swizzled(depth + lane % 16, warp_column + 16 * i + lane / 16 * 8));
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          hotloop::mma_m16n8k16<bf16>(sums[i][j], fa[i], {fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]});
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + warp_row + 16 * i + lane / 4 + 8 * half;
        const int column = first_column + warp_column + 8 * j + lane % 4 * 2;
        *reinterpret_cast<float2*>(c + static_cast<size_t>(row) * n + column) =
            make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
      }
    }
  }
}
// ### END SOLUTION

// 4. As 3., with the next tiles on their way while these are multiplied; padding is allowed.
//    <<<dim3(m / 64, n / 64), 128>>>
__global__ void pipelined(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  // ### BEGIN SOLUTION gemm_tensor_cores.pipelined
  // ### STUB // Two stages of tiles. Wait for one, start the copies of the next one, multiply.
  constexpr int kDepth = 32;
  __shared__ alignas(16) bf16 rows[2][64][kDepth + 8], columns[2][kDepth][64 + 8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int first_row = blockIdx.x * 64, first_column = blockIdx.y * 64;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  const auto start_copies = [&](int first, int stage) {
    for (int i = t; i < 64 * kDepth / 8; i += 128) {
      const int row = i / 4, column = i % 4 * 8, b_row = i / 8, b_column = i % 8 * 8;
      __pipeline_memcpy_async(&rows[stage][row][column],
                              a + static_cast<size_t>(first_row + row) * k + first + column, 16);
      __pipeline_memcpy_async(&columns[stage][b_row][b_column],
                              b + static_cast<size_t>(first + b_row) * n + first_column + b_column, 16);
    }
    __pipeline_commit();
  };
  float sums[2][4][4] = {};
  start_copies(0, 0);
  for (int first = 0, stage = 0; first < k; first += kDepth, stage ^= 1) {
    __pipeline_wait_prior(0);
    // Behind this barrier everybody's copies have arrived, and nobody reads the other stage any more.
    __syncthreads();
    if (first + kDepth < k) start_copies(first + kDepth, stage ^ 1);
    for (int depth = 0; depth < kDepth; depth += 16) {
      uint32_t fa[2][4], fb[2][4];
      for (int i = 0; i < 2; ++i) {
        hotloop::ldmatrix_x4(fa[i], &rows[stage][warp_row + 16 * i + lane % 16][depth + lane / 16 * 8]);
        hotloop::ldmatrix_x4_trans(fb[i], &columns[stage][depth + lane % 16][warp_column + 16 * i + lane / 16 * 8]);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          hotloop::mma_m16n8k16<bf16>(sums[i][j], fa[i], {fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]});
        }
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + warp_row + 16 * i + lane / 4 + 8 * half;
        const int column = first_column + warp_column + 8 * j + lane % 4 * 2;
        *reinterpret_cast<float2*>(c + static_cast<size_t>(row) * n + column) =
            make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
      }
    }
  }
  // ### END SOLUTION
}
