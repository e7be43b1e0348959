// expect: race 9,10
// A counter that some threads update atomically and one reads as it is.
#include "../check.h"

__global__ void count(const int* in, int* out) {
  __shared__ int positive;
  if (threadIdx.x == 0) positive = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0) atomicAdd(&positive, 1);
  if (threadIdx.x == 0) *out = positive;
}

int main() {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = i % 3 - 1;
  int *din, *dout;
  CHECK(cudaMalloc(&din, 64 * sizeof(int)));
  CHECK(cudaMalloc(&dout, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  count<<<1, 64>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
