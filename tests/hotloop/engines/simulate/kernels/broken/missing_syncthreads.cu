// expect: race 8,9
// A reversal through shared memory without a barrier: a thread reads what another warp writes.
#include "../check.h"

__global__ void reverse(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  x[t] = s[63 - t];
}

int main() {
  std::vector<int> x(64);
  int* dx;
  CHECK(cudaMalloc(&dx, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) x[i] = i;
  CHECK(cudaMemcpy(dx, x.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  reverse<<<1, 64>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaFree(dx));
  return 0;
}
