// expect: race 9,18
// The fence stands behind the atomic that it should precede.
#include "../check.h"

__device__ unsigned arrived;

__global__ void sum(const int* in, int* parts, int* total) {
  __shared__ bool is_last;
  parts[blockIdx.x * 64 + threadIdx.x] = 2 * in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (int i = 0; i < gridDim.x * 64; ++i) all += parts[i];
    *total = all;
  }
}

int main() {
  const int blocks = 3;
  std::vector<int> in(blocks * 64, 3);
  int *din, *dparts, *dtotal;
  CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&dparts, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&dtotal, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<blocks, 64>>>(din, dparts, dtotal);
  CHECK_LAUNCH();
  for (int* p : {din, dparts, dtotal}) CHECK(cudaFree(p));
  return 0;
}
