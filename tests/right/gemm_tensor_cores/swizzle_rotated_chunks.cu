// The chunks of row r are rotated by r instead of permuted by XOR; fragments of a by 32-bit loads, registers a phase ahead.
// ### BEGIN SOLUTION gemm_tensor_cores.swizzle
struct Tile {
  alignas(16) bf16 data[64][64];
  __device__ bf16* at(int r, int c) { return &data[r][(((c >> 3) + r) & 7) << 3 | (c & 7)]; }
};

__device__ uint32_t pair_at(Tile& tile, int r, int c) { return *reinterpret_cast<uint32_t*>(tile.at(r, c)); }

__global__ void swizzle(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  __shared__ Tile ta, tb;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int wm = (warp & 1) * 32, wn = (warp >> 1) * 32;
  const int group = lane >> 2, quad = lane & 3;
  a += (size_t)blockIdx.x * 64 * k;
  b += blockIdx.y * 64;
  c += (size_t)blockIdx.x * 64 * n + blockIdx.y * 64;
  float acc[2][4][4];
  for (auto& row : acc)
    for (auto& tile : row)
      for (float& v : tile) v = 0.f;
  uint4 next_a[4], next_b[4];
  const int r0 = threadIdx.x >> 3, c0 = (threadIdx.x & 7) * 8;
  auto fetch = [&](int kk) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      next_a[i] = *(const uint4*)(a + (size_t)(r0 + 16 * i) * k + kk + c0);
      next_b[i] = *(const uint4*)(b + (size_t)(kk + r0 + 16 * i) * n + c0);
    }
  };
  fetch(0);
  for (int kk = 0; kk < k; kk += 64) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      *(uint4*)ta.at(r0 + 16 * i, c0) = next_a[i];
      *(uint4*)tb.at(r0 + 16 * i, c0) = next_b[i];
    }
    __syncthreads();
    if (kk + 64 < k) fetch(kk + 64);
#pragma unroll
    for (int d = 0; d < 64; d += 16) {
      uint32_t left[2][4], right[4][2];
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          left[i][j] = pair_at(ta, wm + 16 * i + group + 8 * (j & 1), d + quad * 2 + 8 * (j >> 1));
      for (int j = 0; j < 4; j += 2) {
        uint32_t four[4];
        hotloop::ldmatrix_x4_trans(four, tb.at(d + (lane & 15), wn + 8 * j + 8 * (lane >> 4)));
        right[j][0] = four[0], right[j][1] = four[1], right[j + 1][0] = four[2], right[j + 1][1] = four[3];
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) hotloop::mma_m16n8k16<bf16>(acc[i][j], left[i], {right[j][0], right[j][1]});
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float* out = c + (size_t)(wm + 16 * i + group) * n + wn + 8 * j + 2 * quad;
      out[0] = acc[i][j][0];
      out[1] = acc[i][j][1];
      out[8 * n] = acc[i][j][2];
      out[8 * n + 1] = acc[i][j][3];
    }
}
// ### END SOLUTION
