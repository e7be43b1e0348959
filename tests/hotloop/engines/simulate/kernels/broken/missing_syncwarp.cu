// expect: race 9,10
// The last steps of a reduction within one warp, as they were written before Volta: lanes no longer
// run in step. The sum looks right.
#include "../check.h"

__global__ void sum(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t < 16) out[t] = in[t] + s[t + 16];
}

int main() {
  std::vector<int> in(32, 2), out(16);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 16 * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<1, 32>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, 16 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
