// Dot products of two vectors, one for each block: a ring of three slots, each with a chunk of x and one of y.
#include <cstdio>
#include <vector>

#include "hotloop/hopper.cuh"

constexpr int kChunk = 256, kSlots = 3, kConsumers = 128;

__global__ void dot(const float* x, const float* y, float* out, int chunks) {
  __shared__ alignas(128) float xs[kSlots][kChunk], ys[kSlots][kChunk];
  __shared__ hotloop::mbarrier full[kSlots], empty[kSlots];
  const int t = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * chunks * kChunk;
  if (t == 0) {
    for (int s = 0; s < kSlots; ++s) {
      hotloop::mbarrier_init(&full[s], 1);
      hotloop::mbarrier_init(&empty[s], kConsumers);
    }
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  int slot = 0;
  unsigned parity = 0;
  if (t >= kConsumers) {
    if (t > kConsumers) return;
    for (int i = 0; i < chunks; ++i) {
      hotloop::mbarrier_wait_parity(&empty[slot], parity ^ 1);
      hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof xs[0] + sizeof ys[0]);
      hotloop::bulk_load(xs[slot], x + first + i * kChunk, sizeof xs[0], &full[slot]);
      hotloop::bulk_load(ys[slot], y + first + i * kChunk, sizeof ys[0], &full[slot]);
      if (++slot == kSlots) slot = 0, parity ^= 1;
    }
    return;
  }
  float sum = 0;
  for (int i = 0; i < chunks; ++i) {
    hotloop::mbarrier_wait_parity(&full[slot], parity);
    for (int j = t; j < kChunk; j += kConsumers) sum += xs[slot][j] * ys[slot][j];
    __syncwarp();
    if (t % 32 == 0) hotloop::mbarrier_arrive(&empty[slot]);
    if (++slot == kSlots) slot = 0, parity ^= 1;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (t % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

int main() {
  constexpr int kBlocks = 2, kChunks = 11, kCount = kBlocks * kChunks * kChunk;
  std::vector<float> ones(kCount, 1.0f), result(kBlocks);
  float *x, *y, *out;
  cudaMalloc(&x, kCount * sizeof(float));
  cudaMalloc(&y, kCount * sizeof(float));
  cudaMalloc(&out, kBlocks * sizeof(float));
  cudaMemcpy(x, ones.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, ones.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, kBlocks * sizeof(float));
  dot<<<kBlocks, kConsumers + 32>>>(x, y, out, kChunks);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(result.data(), out, kBlocks * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float sum : result) std::printf("%g\n", sum);
}
