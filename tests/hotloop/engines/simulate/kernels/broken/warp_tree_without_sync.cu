// expect: race 10,12; race 12
// A tree that stops synchronizing once a single warp is left.
#include "../check.h"

__global__ void sum(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + in[t + 64];
  __syncthreads();
  if (t < 32) s[t] += s[t + 32];
  for (int stride = 16; stride > 0; stride /= 2) {
    if (t < stride) s[t] += s[t + stride];
  }
  if (t == 0) *out = s[0];
}

int main() {
  std::vector<int> in(128, 2);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 128 * sizeof(int)));
  CHECK(cudaMalloc(&dout, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<1, 64>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
