// Tensor maps at their edges: a tile that begins before the tensor and one that ends behind it are filled with zeros, stores
// leave out what lies outside, and a swizzled tile is read where the swizzle has put it. Of three dimensions.
#include "common.h"

constexpr unsigned kX = 16, kY = 8, kZ = 2, kTile = kX * kY * kZ;
constexpr unsigned kSize[3] = {40, 20, 3};

__global__ void shift(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int* outside) {
  __shared__ alignas(1024) float loaded[kTile], moved[kTile];
  __shared__ hotloop::mbarrier full;
  const unsigned t = threadIdx.x;
  const int x = blockIdx.x * kX, y = blockIdx.y * kY, z = blockIdx.z * kZ;
  if (t == 0) {
    hotloop::mbarrier_init(&full, 1);
    hotloop::fence_mbarrier_init();
    hotloop::mbarrier_arrive_expect_tx(&full, OR(3, sizeof loaded, sizeof loaded / 2));
    // A tile that is shifted by (-5, -3, -1).
    hotloop::tensor_load(loaded + OR(1, 0, 4), &in + OR(2, 0, 1), &full, x - 5, y - 3, z - 1);  // 1: bad_argument 2: out_of_bounds 3: tx_count
  }
  __syncthreads();
  hotloop::mbarrier_wait_parity(&full, 0);
  for (unsigned i = t; i < kTile; i += blockDim.x) {
    // Rows of 64 bytes with a swizzle of 64 bytes: bits 7 and 8 of the address are added to bits 4 and 5.
    const unsigned byte = 4 * i, from = (byte ^ (byte >> 7 & 3) << 4) / 4;
    moved[i] = loaded[from] + 1;
    const unsigned row = i / kX % kY;
    const bool is_inside = x + static_cast<int>(i % kX) >= 5 && y + static_cast<int>(row) >= 3;
    if (!is_inside && loaded[from] != 0) atomicAdd(outside, 1);
  }
  hotloop::fence_proxy_async();
  __syncthreads();
  if (t != 0) return;
  hotloop::tensor_store(&out, moved, x, y, z);
  hotloop::bulk_commit_group();
  hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr unsigned kCount = kSize[0] * kSize[1] * kSize[2];
  const auto in = numbers<float>(kCount, 3);
  float *a = on_device(in), *b = on_device(in);
  int* outside = on_device(std::vector<int>{0});
  const auto of_a = map_of<float, 3>(a, kSize, {kX, kY, kZ}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<float, 3>(b, kSize, {kX, kY, kZ}, CU_TENSOR_MAP_SWIZZLE_NONE);
  shift<<<dim3(3, 3, 2), 64>>>(of_a, of_b, outside);
  CHECK_LAUNCH();
  const auto out = on_host(b, kCount);
  bool is_right = on_host(outside, 1)[0] == 0;
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 20; ++y) {
      for (int x = 0; x < 40; ++x) {
        const bool is_inside = x >= 5 && y >= 3 && z >= 1;
        const float value = is_inside ? in[((z - 1) * 20 + y - 3) * 40 + x - 5] : 0;
        is_right &= out[(z * 20 + y) * 40 + x] == value + 1;
      }
    }
  }
  return verdict(is_right);
}
