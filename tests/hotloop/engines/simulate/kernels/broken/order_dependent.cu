// expect: order -
// Tickets in the order in which blocks come, kept as if that order were the input's. Every access
// is atomic or ordered: there is no race, and the result still changes.
#include "../check.h"

__global__ void keep_odd(const int* in, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2) out[atomicAdd(count, 1)] = in[i];
}

int main() {
  const int n = 64;
  std::vector<int> in(n), out(n / 2);
  for (int i = 0; i < n; ++i) in[i] = i;
  int *din, *dout, *dcount;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMalloc(&dcount, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dcount, 0, sizeof(int)));
  keep_odd<<<4, 16>>>(din, dout, dcount);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n / 2 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("first %d, last %d\n", out.front(), out.back());
  for (int* p : {din, dout, dcount}) CHECK(cudaFree(p));
  return 0;
}
