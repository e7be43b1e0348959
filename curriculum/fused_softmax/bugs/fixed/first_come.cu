// Collects the columns whose score is above a limit, fixed. Compare with ../first_come.cu.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__global__ void collect(const float* x, float* out, unsigned* count, float limit) {
  const bool kept = x[threadIdx.x] > limit;
  // --8<-- [start:fix]
  // A place follows from who comes before in the row, not from who comes first in time.
  __shared__ unsigned of_warp[kWarps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const unsigned ballot = __ballot_sync(0xffffffff, kept);
  if (lane == 0) of_warp[warp] = __popc(ballot);
  __syncthreads();
  unsigned place = __popc(ballot & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) place += of_warp[w];
  if (threadIdx.x == kThreads - 1) *count = place + (kept ? 1 : 0);
  // --8<-- [end:fix]
  if (kept) out[place] = static_cast<float>(threadIdx.x);
}

int main() {
  std::vector<float> host(kThreads), found(kThreads);
  for (int i = 0; i < kThreads; ++i) host[i] = static_cast<float>(i % 16);
  unsigned* count;
  cudaMalloc(&count, sizeof(unsigned));
  cudaMemset(count, 0, sizeof(unsigned));
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, kThreads * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  collect<<<1, kThreads>>>(x, out, count, 13.5f);
  unsigned kept = 0;
  cudaMemcpy(&kept, count, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(found.data(), out, kept * sizeof(float), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < kept; ++i) std::printf("%g ", found[i]);
  std::printf("\n");
  cudaFree(x);
  cudaFree(out);
  cudaFree(count);
}
