// expect: race 8
// Every block adds to one total, without an atomic.
#include "../check.h"

__global__ void sum(const float* in, float* total) {
  float mine = in[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(~0u, mine, o);
  if (threadIdx.x == 0) *total += mine;
}

int main() {
  std::vector<float> in(128, 0.5f);
  float *din, *dtotal;
  CHECK(cudaMalloc(&din, 128 * sizeof(float)));
  CHECK(cudaMalloc(&dtotal, sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), 128 * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dtotal, 0, sizeof(float)));
  sum<<<4, 32>>>(din, dtotal);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dtotal));
  return 0;
}
