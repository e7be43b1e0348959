// expect: out_of_bounds 8,20
// Vectors of four for a length that four does not divide: the last load goes past the end.
#include "../check.h"

__global__ void sum(const float4* in, float* out, int vectors) {
  float total = 0;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = in[i];
    total += v.x + v.y + v.z + v.w;
  }
  atomicAdd(out, total);
}

int main() {
  const int n = 62;
  std::vector<float> in(n, 1);
  float *din, *dout;
  CHECK(cudaMalloc(&dout, sizeof(float)));
  CHECK(cudaMemset(dout, 0, sizeof(float)));
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum<<<1, 32>>>(reinterpret_cast<const float4*>(din), dout, (n + 3) / 4);
  cudaDeviceSynchronize();
  return 0;
}
