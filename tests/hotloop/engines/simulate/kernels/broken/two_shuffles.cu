// expect: divergent_warp 8,10
// The two halves of a warp meet in two kinds of shuffle, each with the full mask.
#include "../check.h"

__global__ void mix(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (threadIdx.x < 16) {
    v += __shfl_xor_sync(0xffffffffu, v, 1);
  } else {
    v -= __shfl_down_sync(0xffffffffu, v, 1);
  }
  out[threadIdx.x] = v;
}

int main() {
  std::vector<int> in(32, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 32 * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  mix<<<1, 32>>>(din, dout);
  cudaDeviceSynchronize();
  return 0;
}
