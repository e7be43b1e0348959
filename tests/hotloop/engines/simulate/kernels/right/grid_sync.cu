// A cooperative launch: what a block has written before grid.sync(), every block may read behind it. Shared memory, local
// variables and dynamic shared memory are still there.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

constexpr int kBlocks = 5, kThreads = 96, kRounds = 4;

__device__ int unused;  // by kernels; the host may copy to it

__device__ void rest(int* sums) { if (sums) cg::this_grid().sync(); }

__global__ void sums_of_all(int* sums, int* out, int* seen) {
  extern __shared__ int moved[];
  __shared__ int values[kThreads];
  const cg::grid_group grid = cg::this_grid();
  int local[4];  // by address, so that it lies on the stack
  for (int i = 0; i < 4; ++i) local[(threadIdx.x + i) % 4] = threadIdx.x + blockIdx.x * i;
  values[threadIdx.x] = threadIdx.x + blockIdx.x;
  if (threadIdx.x < kBlocks) moved[threadIdx.x] = blockIdx.x;
  for (int round = 0; round < kRounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      int sum = 0;
      for (int i = 0; i < kThreads; ++i) sum += values[i];
      sums[blockIdx.x] = sum;
    }
    grid.sync();
    int total = 0;
    for (int b = 0; b < kBlocks; ++b) total += sums[b];
    values[threadIdx.x] = total % 1000 + blockIdx.x;
    rest(sums);  // waits inside of a call
  }
  if (threadIdx.x < kBlocks) seen[blockIdx.x * kBlocks + threadIdx.x] = moved[threadIdx.x];
  out[grid.thread_rank()] = values[threadIdx.x] + 1000 * local[blockIdx.x % 4];
}

__global__ void early(int* out) {
  if (threadIdx.x >= 32 && blockIdx.x == 1) return;  // not thread 0
  out[blockIdx.x] = cg::this_grid().is_valid();
  cg::this_grid().sync();
  if (threadIdx.x == 0) out[2 + blockIdx.x] = out[1 - blockIdx.x] + 1;
}

int main() {
  int *sums, *out, *seen, count = kBlocks * kThreads;
  CHECK(cudaMalloc(&sums, kBlocks * sizeof *sums));
  CHECK(cudaMalloc(&out, count * sizeof *out));
  CHECK(cudaMalloc(&seen, kBlocks * kBlocks * sizeof *seen));
  void* arguments[] = {&sums, &out, &seen};
  CHECK(cudaMemcpyToSymbol(unused, &count, sizeof count));
  for (int time = 0; time < 2; ++time) {
    CHECK(cudaLaunchCooperativeKernel(sums_of_all, dim3(kBlocks), dim3(kThreads), arguments, kBlocks * sizeof(int), nullptr));
    CHECK(cudaDeviceSynchronize());
    int host[kBlocks * kThreads], blocks[kBlocks * kBlocks], expected[kBlocks * kThreads], wrong = 0;
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(blocks, seen, sizeof blocks, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) expected[i] = i % kThreads + i / kThreads;
    for (int round = 0; round < kRounds; ++round) {
      int total = 0;
      for (int i = 0; i < count; ++i) total += expected[i];
      for (int i = 0; i < count; ++i) expected[i] = total % 1000 + i / kThreads;
    }
    for (int i = 0; i < count; ++i) {
      const int b = i / kThreads, t = i % kThreads, at = (b % 4 - t % 4 + 4) % 4;
      wrong += host[i] != expected[i] + 1000 * (t + b * at);
    }
    for (int i = 0; i < kBlocks * kBlocks; ++i) wrong += blocks[i] != i / kBlocks;
    if (wrong) return std::printf("%d wrong\n", wrong), 1;
  }
  void* one[] = {&out};
  CHECK(cudaLaunchCooperativeKernel(early, dim3(2), dim3(64), one, 0, nullptr));
  int after[4];
  CHECK(cudaMemcpy(after, out, sizeof after, cudaMemcpyDeviceToHost));
  cudaLaunchAttribute together;
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config;
  config.gridDim = 2, config.blockDim = 32, config.attrs = &together, config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, early, out));
  CHECK(cudaDeviceSynchronize());
  int can = 0;
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
  int at_once = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&at_once, early, 64, 0, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, early));
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, early, [](int) { return size_t{0}; }));
  if (at_once != 32 || block != 1024 || grid != 2 * 132) return std::puts("other occupancy"), 1;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  return verdict(can == 1 && properties.cooperativeLaunch == 1 && after[2] == 2 && after[3] == 2);
}
