// expect: divergent_warp 8,10
// Half of a warp waits in a shuffle for lanes that wait at the barrier behind it.
#include "../check.h"

__global__ void sum(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (threadIdx.x < 16) {
    v += __shfl_down_sync(0xffffffffu, v, 16);
  }
  __syncthreads();
  out[threadIdx.x] = v;
}

int main() {
  std::vector<int> in(32, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 32 * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<1, 32>>>(din, dout);
  cudaDeviceSynchronize();
  return 0;
}
