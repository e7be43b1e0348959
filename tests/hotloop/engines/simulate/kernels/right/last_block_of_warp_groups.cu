// Two warp groups of each block sum; the last block to finish sums the blocks. Within a block only barriers of a group order
// the accesses: a named barrier or an mbarrier carries on what a thread has learnt from other blocks, and a fence
// passes on what the thread has learnt from its group.
#include "../check.h"
#include "hotloop/hopper.cuh"

constexpr int kGroup = 128, kBlocks = 5;

template <bool Named>
__device__ void meet(hotloop::mbarrier* barrier, int group, int phase) {
  if (Named) {
    hotloop::barrier_sync(1 + group, kGroup);
  } else {
    hotloop::mbarrier_arrive(barrier);
    hotloop::mbarrier_wait_parity(barrier, phase & 1);
  }
}

template <bool Named>
__global__ void sum(const float* in, float* partial, unsigned* tickets, float* out) {
  __shared__ hotloop::mbarrier barriers[2];
  __shared__ unsigned ticket[2];
  const int group = threadIdx.x / kGroup, lane = threadIdx.x % kGroup;
  if (lane == 0) hotloop::mbarrier_init(&barriers[group], kGroup);
  __syncthreads();
  float* mine = partial + group * kBlocks * kGroup;
  mine[blockIdx.x * kGroup + lane] = 2 * in[(blockIdx.x * 2 + group) * kGroup + lane];
  meet<Named>(&barriers[group], group, 0);
  if (lane == 0) {
    __threadfence();
    ticket[group] = atomicAdd(&tickets[group], 1u);
    __threadfence();
  }
  meet<Named>(&barriers[group], group, 1);
  if (ticket[group] != kBlocks - 1) return;
  float total = 0;
  for (int b = 0; b < kBlocks; ++b) total += mine[b * kGroup + lane];
  out[threadIdx.x] = total;
}

int main() {
  constexpr int kCount = kBlocks * 2 * kGroup;
  std::vector<float> host(kCount), result(2 * kGroup);
  for (int i = 0; i < kCount; ++i) host[i] = i % 97;
  float *in, *partial, *out;
  unsigned* tickets;
  CHECK(cudaMalloc(&in, kCount * sizeof(float)));
  CHECK(cudaMalloc(&partial, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, 2 * kGroup * sizeof(float)));
  CHECK(cudaMalloc(&tickets, 2 * sizeof(unsigned)));
  CHECK(cudaMemcpy(in, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  bool right = true;
  for (bool named : {true, false}) {
    CHECK(cudaMemset(tickets, 0, 2 * sizeof(unsigned)));
    if (named) sum<true><<<kBlocks, 2 * kGroup>>>(in, partial, tickets, out);
    else sum<false><<<kBlocks, 2 * kGroup>>>(in, partial, tickets, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(result.data(), out, 2 * kGroup * sizeof(float), cudaMemcpyDeviceToHost));
    for (int t = 0; t < 2 * kGroup; ++t) {
      float want = 0;
      for (int b = 0; b < kBlocks; ++b) want += 2 * host[b * 2 * kGroup + t];
      right &= is_close(result[t], want);
    }
  }
  return verdict(right);
}
