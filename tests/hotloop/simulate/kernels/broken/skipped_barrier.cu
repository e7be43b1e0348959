// expect: divergent_barrier 10
// Threads behind the end return before a barrier that the others wait at.
#include "../check.h"

__global__ void neighbours(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[t > 0 ? t - 1 : 0];
}

int main() {
  const int n = 50;
  std::vector<int> in(n, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  neighbours<<<1, 64>>>(din, dout, n);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
