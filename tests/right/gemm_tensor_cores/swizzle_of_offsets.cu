// CuTe's Swizzle<3, 3, 3> of linear offsets in one array, filled by asynchronous copies.
// ### BEGIN SOLUTION gemm_tensor_cores.swizzle
template <int Bits, int Base, int Shift>
struct Swizzle {
  static __device__ constexpr int apply(int offset) {
    return offset ^ (((offset >> (Base + Shift)) & ((1 << Bits) - 1)) << Base);
  }
};
using Layout = Swizzle<3, 3, 3>;  // rows of 64 elements, chunks of 8

__global__ void __launch_bounds__(128) swizzle(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
  constexpr int kTile = 64 * 64;
  __shared__ __align__(128) bf16 shared[2 * kTile];
  const dim3 tile(blockIdx.x * 64, blockIdx.y * 64);
  const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  const int row0 = (warp >> 1) << 5, col0 = (warp & 1) << 5;
  float d[8][4] = {};
  for (int step = 0; step < k / 64; ++step) {
    for (int chunk = threadIdx.x; chunk < kTile / 8; chunk += blockDim.x) {
      const int r = chunk >> 3, q = (chunk & 7) << 3, at = Layout::apply(chunk << 3);
      __pipeline_memcpy_async(shared + at, a + size_t(tile.x + r) * k + step * 64 + q, 16);
      __pipeline_memcpy_async(shared + kTile + at, b + size_t(step * 64 + r) * n + tile.y + q, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      uint32_t b01[4], b23[4];
      const int line = (kk * 16 + (lane & 15)) * 64 + col0 + (lane >> 4) * 8;
      hotloop::ldmatrix_x4_trans(b01, shared + kTile + Layout::apply(line));
      hotloop::ldmatrix_x4_trans(b23, shared + kTile + Layout::apply(line + 16));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        uint32_t x[4];
        hotloop::ldmatrix_x4(x, shared + Layout::apply((row0 + half * 16 + (lane & 15)) * 64 + kk * 16 + (lane >> 4) * 8));
        hotloop::mma_m16n8k16<bf16>(d[half * 4 + 0], x, {b01[0], b01[1]});
        hotloop::mma_m16n8k16<bf16>(d[half * 4 + 1], x, {b01[2], b01[3]});
        hotloop::mma_m16n8k16<bf16>(d[half * 4 + 2], x, {b23[0], b23[1]});
        hotloop::mma_m16n8k16<bf16>(d[half * 4 + 3], x, {b23[2], b23[3]});
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
      const int r = tile.x + row0 + (i >> 2) * 16 + (lane >> 2) + (e >> 1) * 8;
      const int q = tile.y + col0 + (i & 3) * 8 + (lane & 3) * 2;
      reinterpret_cast<float2&>(c[size_t(r) * n + q]) = {d[i][e], d[i][e + 1]};
    }
}
// ### END SOLUTION
