// expect: out_of_bounds 9
// The right neighbor of a block's last element is not in its shared memory.
#include "../check.h"

__global__ void differences(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 1] - s[threadIdx.x];
}

int main() {
  std::vector<int> in(64, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 64 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 64 * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  differences<<<1, 64>>>(din, dout);
  cudaDeviceSynchronize();
  return 0;
}
