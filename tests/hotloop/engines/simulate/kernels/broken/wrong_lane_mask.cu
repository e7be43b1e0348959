// expect: bad_mask 8
// A shuffle of all 32 lanes whose mask names only 16 of them.
#include "../check.h"

__global__ void sum(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) {
    v += __shfl_down_sync(0x0000ffffu, v, o);
  }
  if (threadIdx.x == 0) *out = v;
}

int main() {
  std::vector<int> in(32, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(int)));
  CHECK(cudaMalloc(&dout, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<1, 32>>>(din, dout);
  cudaDeviceSynchronize();
  return 0;
}
