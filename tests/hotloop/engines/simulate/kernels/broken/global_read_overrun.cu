// expect: out_of_bounds 7,15
// The last element's right neighbor lies behind the allocation.
#include "../check.h"

__global__ void differences(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];
}

int main() {
  const int n = 100;
  std::vector<float> in(n, 1);
  float *din, *dout;
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  differences<<<1, 128>>>(din, dout, n);
  cudaDeviceSynchronize();
  return 0;
}
