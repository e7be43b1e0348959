// cuda::barrier: all threads meet, again and again; one warp waits for what the others only announce.
#include <cuda/barrier>
#include <utility>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 128;

__global__ void rotate(int* out) {
  __shared__ int values[2][kThreads];
  __shared__ barrier met;
  if (threadIdx.x == 0) init(&met, blockDim.x);
  __syncthreads();
  int value = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    values[step % 2][threadIdx.x] = value;
    met.arrive_and_wait();
    value = values[step % 2][(threadIdx.x + 33) % kThreads];
  }
  out[threadIdx.x] = value;
}

__global__ void announce(int* out) {
  __shared__ int sums[kThreads / 32];
  __shared__ barrier done;
  if (threadIdx.x == 0) init(&done, blockDim.x);
  __syncthreads();
  const int sum = __reduce_add_sync(0xffffffffu, static_cast<int>(threadIdx.x));
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  barrier::arrival_token token = done.arrive();
  if (threadIdx.x < 32) {
    done.wait(std::move(token));
    if (threadIdx.x == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
  }
}

int main() {
  int* device;
  CHECK(cudaMalloc(&device, (kThreads + 1) * sizeof(int)));
  rotate<<<2, kThreads>>>(device);
  CHECK_LAUNCH();
  announce<<<1, kThreads>>>(device + kThreads);
  CHECK_LAUNCH();
  std::vector<int> host(kThreads + 1);
  CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = host[kThreads] == kThreads * (kThreads - 1) / 2;
  for (int i = 0; i < kThreads; ++i) right &= host[i] == (i + 4 * 33) % kThreads;
  CHECK(cudaFree(device));
  return verdict(right);
}
