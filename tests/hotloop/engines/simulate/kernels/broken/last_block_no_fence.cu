// expect: race 11,14
// The last block adds all blocks' sums, which nothing has made visible to it. The total looks right.
#include "../check.h"

__device__ unsigned arrived;

__global__ void sum(const int* in, int* parts, int* total) {
  int mine = in[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(~0u, mine, o);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = mine;
  if (atomicAdd(&arrived, 1u) != gridDim.x - 1) return;
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += parts[b];
  *total = all;
}

int main() {
  const int blocks = 5;
  std::vector<int> in(blocks * 32, 3);
  int *din, *dparts, *dtotal;
  CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&dparts, blocks * sizeof(int)));
  CHECK(cudaMalloc(&dtotal, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<blocks, 32>>>(din, dparts, dtotal);
  CHECK_LAUNCH();
  for (int* p : {din, dparts, dtotal}) CHECK(cudaFree(p));
  return 0;
}
