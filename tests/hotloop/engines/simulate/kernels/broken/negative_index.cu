// expect: out_of_bounds 7,14
// The first element's left neighbor lies before the allocation.
#include "../check.h"

__global__ void shift(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = in[i - 1];
}

int main() {
  const int n = 32;
  std::vector<int> in(n, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  shift<<<1, n>>>(din, dout, n);
  cudaDeviceSynchronize();
  return 0;
}
