// Rows are loaded, doubled in place and stored again, by persistent blocks with one tile in shared memory.
#include <cstdio>
#include <vector>

#include "hotloop/hopper.cuh"

constexpr int kRow = 512, kThreads = 128;

__global__ void twice(const float* in, float* out, int rows) {
  __shared__ alignas(128) float tile[kRow];
  __shared__ hotloop::mbarrier full;
  const int t = threadIdx.x;
  if (t == 0) {
    hotloop::mbarrier_init(&full, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  unsigned parity = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (t == 0) {
      hotloop::bulk_wait_group_read<0>();
      hotloop::mbarrier_arrive_expect_tx(&full, sizeof tile);
      hotloop::bulk_load(tile, in + row * kRow, sizeof tile, &full);
    }
    hotloop::mbarrier_wait_parity(&full, parity);
    parity ^= 1;
    for (int i = t; i < kRow; i += kThreads) tile[i] *= 2;
    hotloop::fence_proxy_async();
    __syncthreads();
    if (t == 0) {
      hotloop::bulk_store(out + row * kRow, tile, sizeof tile);
      hotloop::bulk_commit_group();
    }
  }
  if (t == 0) hotloop::bulk_wait_group_read<0>();
}

int main() {
  constexpr int kRows = 9, kCount = kRows * kRow;
  std::vector<float> ones(kCount, 1.0f), result(kCount);
  float *in, *out;
  cudaMalloc(&in, kCount * sizeof(float));
  cudaMalloc(&out, kCount * sizeof(float));
  cudaMemcpy(in, ones.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<2, kThreads>>>(in, out, kRows);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(result.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result.front(), result.back());
}
