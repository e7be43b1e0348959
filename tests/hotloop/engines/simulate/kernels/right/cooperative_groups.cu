// thread_group for any group, partitions of a tile, wide shuffles, tiles of several warps, a grid of one block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../check.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 256;

__device__ int sum_of(cg::thread_group group, int* room, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    room[rank] = value;
    group.sync();
    if (rank < half) value += room[rank + half];
    cg::sync(group);
  }
  return value;
}

// Each thread gives the sum of its block, of its 16, and of its 8.
__global__ void any_group(int* out) {
  __shared__ int room[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const int rank = block.thread_rank();
  const int all = sum_of(block, room, rank);
  block.sync();
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int few = sum_of(tile, room + rank / 16 * 16, rank);
  block.sync();
  const int fewer = sum_of(cg::tiled_partition(block, 8), room + rank / 8 * 8, rank);
  if (rank == 0) out[0] = all;
  if (tile.thread_rank() == 0) out[1 + rank / 16] = few;
  if (rank % 8 == 0) out[20 + rank / 8] = fewer;
}

__global__ void partitions(const int* in, int* out) {
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = in[threadIdx.x];
  const cg::coalesced_group same = cg::binary_partition(tile, value % 2 == 1);
  int sum = 0;
  if (value % 2) {
    sum = cg::reduce(same, value, cg::plus<int>());
  } else {
    sum = -cg::reduce(same, value, cg::plus<int>());
  }
  const auto bucket = cg::labeled_partition(tile, value % 5);
  out[threadIdx.x] = 1000 * sum + 10 * static_cast<int>(bucket.size()) + (bucket.thread_rank() == 0);
}

__global__ void wide(uint4* out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned i = threadIdx.x;
  out[i] = tile.shfl_xor(make_uint4(i, 10 * i, 100 * i, 1000 * i), 3);
}

template <int N>
__global__ void of_warps(double* out) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  __shared__ int seen[kThreads];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<N>(block);
  double total = cg::reduce(tile, static_cast<double>(threadIdx.x), cg::plus<double>());
  seen[threadIdx.x] = tile.meta_group_rank();
  tile.sync();
  total += 1e6 * seen[threadIdx.x ^ (N / 2)];
  total += 1e9 * cg::reduce(tile, static_cast<int>(tile.thread_rank()), cg::greater<int>());
  out[threadIdx.x] = total;
}

__global__ void one_block(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  cg::this_grid().sync();
  out[threadIdx.x] = values[63 - threadIdx.x] + 100 * static_cast<int>(cg::this_grid().num_blocks());
}

template <class T>
std::vector<T> taken(const void* device, int count) {
  std::vector<T> host(count);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

int sum_from(int first, int count) { return count * first + count * (count - 1) / 2; }

template <int N>
bool is_right_with_warps(void* room) {
  of_warps<N><<<2, kThreads>>>(static_cast<double*>(room));
  const std::vector<double> got = taken<double>(room, kThreads);
  bool right = true;
  for (int i = 0; i < kThreads; ++i) right &= got[i] == sum_from(i / N * N, N) + 1e6 * (i / N) + 1e9 * (N - 1);
  return right;
}

int main() {
  void* room;
  CHECK(cudaMalloc(&room, 4096));
  any_group<<<1, kThreads>>>(static_cast<int*>(room));
  const std::vector<int> sums = taken<int>(room, 52);
  bool right = sums[0] == sum_from(0, kThreads);
  for (int i = 0; i < kThreads / 16; ++i) right &= sums[1 + i] == sum_from(16 * i, 16);
  for (int i = 0; i < kThreads / 8; ++i) right &= sums[20 + i] == sum_from(8 * i, 8);

  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[i] = 7 * i % 13;
  CHECK(cudaMemcpy(room, in.data(), 128, cudaMemcpyHostToDevice));
  partitions<<<1, 32>>>(static_cast<int*>(room), static_cast<int*>(room) + 32);
  const std::vector<int> parts = taken<int>(static_cast<int*>(room) + 32, 32);
  for (int i = 0; i < 32; ++i) {
    int sum = 0, size = 0, before = 0;
    for (int k = 0; k < 32; ++k) {
      if (in[k] % 2 == in[i] % 2) sum += in[k];
      size += in[k] % 5 == in[i] % 5;
      before += k < i && in[k] % 5 == in[i] % 5;
    }
    right &= parts[i] == 1000 * (in[i] % 2 ? sum : -sum) + 10 * size + !before;
  }

  wide<<<1, 32>>>(static_cast<uint4*>(room));
  const std::vector<uint4> words = taken<uint4>(room, 32);
  for (unsigned i = 0; i < 32; ++i) right &= words[i].x == (i ^ 3) && words[i].w == 1000 * (i ^ 3);

  right &= is_right_with_warps<64>(room) && is_right_with_warps<128>(room);

  int* ints = static_cast<int*>(room);
  void* arguments[] = {&ints};
  CHECK(cudaLaunchCooperativeKernel(one_block, dim3(1), dim3(64), arguments, 0, nullptr));
  const std::vector<int> mirrored = taken<int>(room, 64);
  for (int i = 0; i < 64; ++i) right &= mirrored[i] == 163 - i;
  CHECK(cudaFree(room));
  return verdict(right);
}
