// A sum in one launch: the block that comes last adds the sums of all blocks. A fence makes each
// block's sum visible before the atomic that counts the block.
#include "../check.h"

constexpr int kThreads = 64;

__device__ unsigned int arrived = 0;

__device__ int block_sum(int v, int* s) {
  s[threadIdx.x] = v;
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
  }
  __syncthreads();
  return s[0];
}

__global__ void sum(const int* in, int* parts, int* total, int n) {
  __shared__ int s[kThreads];
  __shared__ bool is_last;
  int mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) mine += in[i];
  const int of_block = block_sum(mine, s);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = of_block;
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  const int all = block_sum(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0, s);
  if (threadIdx.x == 0) *total = all;
}

int main() {
  const int n = 3000, blocks = 9;
  std::vector<int> in(n);
  int expected = 0, got = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 31 - 10;
  int *din, *dparts, *dtotal;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dparts, blocks * sizeof(int)));
  CHECK(cudaMalloc(&dtotal, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  bool right = true;
  for (int again = 0; again < 2; ++again) {  // the counter has wrapped to 0
    sum<<<blocks, kThreads>>>(din, dparts, dtotal, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&got, dtotal, sizeof(int), cudaMemcpyDeviceToHost));
    right &= got == expected;
  }
  for (int* p : {din, dparts, dtotal}) CHECK(cudaFree(p));
  return verdict(right);
}
