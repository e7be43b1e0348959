// expect: race 8,10
// A transpose that reads its tile's columns before the rows of other warps are there.
#include "../check.h"

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][x] = in[y * 32 + x];
  for (int y = threadIdx.y; y < 32; y += 8) {
    out[y * 32 + x] = tile[x][y];
  }
}

int main() {
  std::vector<float> in(1024);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  float *din, *dout;
  CHECK(cudaMalloc(&din, 1024 * sizeof(float)));
  CHECK(cudaMalloc(&dout, 1024 * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), 1024 * sizeof(float), cudaMemcpyHostToDevice));
  transpose<<<1, dim3(32, 8)>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
