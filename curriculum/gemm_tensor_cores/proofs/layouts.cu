// The same fragments, loaded from tiles of 64 × 64 16-bit elements in three layouts.
#include <cstdio>

#include "hotloop/tensor_cores.cuh"

template <int kPitch, bool kSwizzled>
__device__ int place(int row, int column) {
  const int chunk = kSwizzled ? column / 8 ^ row % 8 : column / 8;
  return row * kPitch + chunk * 8 + column % 8;
}

template <int kPitch, bool kSwizzled>
__device__ void load(unsigned* sum) {
  __shared__ alignas(16) unsigned short tile[64 * kPitch];
  const int lane = threadIdx.x;
  for (int i = lane; i < 64 * 64; i += 32) tile[place<kPitch, kSwizzled>(i / 64, i % 64)] = i;
  __syncwarp();
  unsigned total = 0;
  for (int step = 0; step < 64; step += 16) {
    unsigned r[4];
    hotloop::ldmatrix_x4(r, tile + place<kPitch, kSwizzled>(lane % 16, step + lane / 16 * 8));
    total += r[0] + r[1] + r[2] + r[3];
  }
  sum[lane] = total;
}

__global__ void in_order(unsigned* sum) { load<64, false>(sum); }
__global__ void padded(unsigned* sum) { load<72, false>(sum); }
__global__ void swizzled(unsigned* sum) { load<64, true>(sum); }

int main() {
  unsigned* sums;
  cudaMallocManaged(&sums, 3 * 32 * sizeof(unsigned));
  in_order<<<1, 32>>>(sums);
  padded<<<1, 32>>>(sums + 32);
  swizzled<<<1, 32>>>(sums + 64);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) {
    if (sums[i] != sums[32 + i] || sums[i] != sums[64 + i]) return 1;
  }
  printf("equal\n");
  return 0;
}
