// expect: misaligned 7
// Rows of 5 floats, read as vectors of four: the second row does not begin at a multiple of 16.
#include "../check.h"

__global__ void first_four(const float* in, float4* out, int columns) {
  const float* row = in + threadIdx.x * columns;
  out[threadIdx.x] = *reinterpret_cast<const float4*>(row);
}

int main() {
  const int rows = 8, columns = 5;
  std::vector<float> in(rows * columns, 1);
  float* din;
  float4* dout;
  CHECK(cudaMalloc(&din, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&dout, rows * sizeof(float4)));
  CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  first_four<<<1, rows>>>(din, dout, columns);
  cudaDeviceSynchronize();
  return 0;
}
