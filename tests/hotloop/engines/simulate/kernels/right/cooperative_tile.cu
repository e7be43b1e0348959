// Cooperative groups: a sum per tile of 8 lanes by hand, one per warp by cg::reduce, and a tile's
// own scratch in shared memory behind a tile's own sync.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 64;

__device__ int tile_sum(const cg::thread_block_tile<8>& tile, int v) {
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) v += tile.shfl_down(v, offset);
  return tile.shfl(v, 0);
}

__global__ void sums(const int* in, int* by_8, int* by_32, int* rotated) {
  __shared__ int s[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<8> small = cg::tiled_partition<8>(block);
  const auto warp = cg::tiled_partition<32>(block);
  const int t = block.thread_rank(), v = in[t];
  const int sum = tile_sum(small, v);
  if (small.thread_rank() == 0) by_8[small.meta_group_rank()] = sum;
  const int of_warp = cg::reduce(warp, v, cg::plus<int>());
  if (warp.thread_rank() == 0) by_32[warp.meta_group_rank()] = of_warp;
  s[t] = v;
  small.sync();
  rotated[t] = s[t / 8 * 8 + (t + 1) % 8];
  cg::sync(block);
}

int main() {
  std::vector<int> in(kThreads), by_8(8), by_32(2), rotated(kThreads);
  for (int i = 0; i < kThreads; ++i) in[i] = i * i % 29;
  int *din, *d8, *d32, *drotated;
  CHECK(cudaMalloc(&din, kThreads * sizeof(int)));
  CHECK(cudaMalloc(&d8, 8 * sizeof(int)));
  CHECK(cudaMalloc(&d32, 2 * sizeof(int)));
  CHECK(cudaMalloc(&drotated, kThreads * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice));
  sums<<<1, kThreads>>>(din, d8, d32, drotated);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(by_8.data(), d8, 8 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(by_32.data(), d32, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(rotated.data(), drotated, kThreads * sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> expected_8(8), expected_32(2);
  bool right = true;
  for (int i = 0; i < kThreads; ++i) {
    expected_8[i / 8] += in[i];
    expected_32[i / 32] += in[i];
    right &= rotated[i] == in[i / 8 * 8 + (i + 1) % 8];
  }
  for (int* p : {din, d8, d32, drotated}) CHECK(cudaFree(p));
  return verdict(right && by_8 == expected_8 && by_32 == expected_32);
}
