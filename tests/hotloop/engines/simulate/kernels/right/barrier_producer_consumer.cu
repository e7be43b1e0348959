// Two cuda::barrier for each slot: one warp fills it, the others announce that they have read it.
#include <cuda/barrier>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 128, kSlot = 32, kSteps = 9;

__global__ void stream(const int* in, int* sums) {
  __shared__ int slots[2][kSlot];
  __shared__ barrier free_to_fill[2], full[2];
  if (threadIdx.x < 2) {
    init(&free_to_fill[threadIdx.x], kThreads);
    init(&full[threadIdx.x], kThreads);
  }
  __syncthreads();
  if (threadIdx.x < kSlot) {
    for (int step = 0; step < kSteps; ++step) {
      free_to_fill[step % 2].arrive_and_wait();
      slots[step % 2][threadIdx.x] = in[step * kSlot + threadIdx.x];
      (void)full[step % 2].arrive();
    }
  } else {
    int sum = 0;
    (void)free_to_fill[0].arrive();
    (void)free_to_fill[1].arrive();
    for (int step = 0; step < kSteps; ++step) {
      full[step % 2].arrive_and_wait();
      sum += slots[step % 2][threadIdx.x % kSlot];
      (void)free_to_fill[step % 2].arrive();
    }
    sums[threadIdx.x - kSlot] = sum;
  }
}

int main() {
  int *in, *sums;
  std::vector<int> host(kSteps * kSlot), result(kThreads - kSlot);
  for (int i = 0; i < kSteps * kSlot; ++i) host[i] = i * i;
  CHECK(cudaMalloc(&in, host.size() * sizeof(int)));
  CHECK(cudaMalloc(&sums, result.size() * sizeof(int)));
  CHECK(cudaMemcpy(in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
  stream<<<1, kThreads>>>(in, sums);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(result.data(), sums, result.size() * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kThreads - kSlot; ++i) {
    int want = 0;
    for (int step = 0; step < kSteps; ++step) want += host[step * kSlot + i % kSlot];
    right &= result[i] == want;
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(sums));
  return verdict(right);
}
