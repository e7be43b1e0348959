// A column of 16-byte chunks of a tile that a tensor copy has brought, with and without a swizzle.
#include "common.h"

constexpr int kRows = 32;

template <int row_bytes, bool is_swizzled>
__global__ void column(const __grid_constant__ CUtensorMap map, float* sum) {
  __shared__ alignas(1024) unsigned char tile[kRows * row_bytes];
  __shared__ hotloop::mbarrier full;
  const int lane = threadIdx.x;
  if (lane == 0) {
    hotloop::mbarrier_init(&full, 1);
    hotloop::fence_mbarrier_init();
    hotloop::mbarrier_arrive_expect_tx(&full, sizeof tile);
    hotloop::tensor_load(tile, &map, &full, 0, 0);
  }
  __syncwarp();
  hotloop::mbarrier_wait_parity(&full, 0);
  // Bits 7 to 9 of the byte are added to bits 4 to 6, as many as the row's chunks need.
  const unsigned byte = lane * row_bytes + 16;
  const unsigned place = is_swizzled ? byte ^ (byte >> 7 & (row_bytes / 16 - 1)) << 4 : byte;
  const float4 chunk = *reinterpret_cast<const float4*>(tile + place);
  sum[lane] = chunk.x + chunk.y + chunk.z + chunk.w;
}

template <int row_bytes>
bool is_right(bf16* values, CUtensorMapSwizzle swizzle) {
  float* const sums = on_device(std::vector<float>(2 * kRows));
  constexpr int columns = row_bytes / 2;
  column<row_bytes, false><<<1, 32>>>(hotloop::tensor_map(values, kRows, columns, kRows, columns, CU_TENSOR_MAP_SWIZZLE_NONE), sums);
  column<row_bytes, true><<<1, 32>>>(hotloop::tensor_map(values, kRows, columns, kRows, columns, swizzle), sums + kRows);
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  for (int i = 0; i < kRows; ++i) {
    if (sums[i] != sums[kRows + i]) return false;
  }
  return true;
}

int main() {
  // Pairs of bfloat16 that are floats of small integers: their low halves are zero.
  std::vector<bf16> values(kRows * 64);
  for (int i = 0; i < kRows * 32; ++i) values[2 * i] = bf16(0.0f), values[2 * i + 1] = bf16(static_cast<float>(i % 61));
  bf16* const at = on_device(values);
  bool all = is_right<128>(at, CU_TENSOR_MAP_SWIZZLE_128B);
  all = is_right<64>(at, CU_TENSOR_MAP_SWIZZLE_64B) && all;
  return verdict(is_right<32>(at, CU_TENSOR_MAP_SWIZZLE_32B) && all);
}
