// A sum per block: a tree in shared memory, with a barrier before each level.
#include "../check.h"

constexpr int kThreads = 256;

__global__ void block_sum(const int* in, int* out, int n) {
  __shared__ int s[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

int main() {
  const int n = 1500, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), out(blocks);
  long expected = 0, total = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 17 - 5;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, blocks * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  block_sum<<<blocks, kThreads>>>(din, dout, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int part : out) total += part;
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(total == expected);
}
