// expect: race 16,22
// The thread that takes the ticket for its warp group passes nothing on: a fence is missing before and behind it.
#include "../check.h"
#include "hotloop/hopper.cuh"

constexpr int kGroup = 128, kBlocks = 5;

__device__ void meet(int group) {
  hotloop::barrier_sync(1 + group, kGroup);
}

__global__ void sum(const float* in, float* partial, unsigned* tickets, float* out) {
  __shared__ unsigned ticket[2];
  const int group = threadIdx.x / kGroup, lane = threadIdx.x % kGroup;
  float* mine = partial + group * kBlocks * kGroup;
  mine[blockIdx.x * kGroup + lane] = 2 * in[(blockIdx.x * 2 + group) * kGroup + lane];
  meet(group);
  if (lane == 0) ticket[group] = atomicAdd(&tickets[group], 1u);
  meet(group);
  if (ticket[group] != kBlocks - 1) return;
  float total = 0;
  for (int b = 0; b < kBlocks; ++b) total += mine[b * kGroup + lane];
  out[threadIdx.x] = total;
}

int main() {
  constexpr int kCount = kBlocks * 2 * kGroup;
  float *in, *partial, *out;
  unsigned* tickets;
  CHECK(cudaMalloc(&in, kCount * sizeof(float)));
  CHECK(cudaMalloc(&partial, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, 2 * kGroup * sizeof(float)));
  CHECK(cudaMalloc(&tickets, 2 * sizeof(unsigned)));
  CHECK(cudaMemset(in, 0, kCount * sizeof(float)));
  CHECK(cudaMemset(tickets, 0, 2 * sizeof(unsigned)));
  sum<<<kBlocks, 2 * kGroup>>>(in, partial, tickets, out);
  CHECK_LAUNCH();
  return verdict(true);
}
