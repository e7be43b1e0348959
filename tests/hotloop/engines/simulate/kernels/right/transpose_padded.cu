// A transpose through a tile with one column more, so that its columns lie in different banks.
#include "../check.h"

constexpr int kTile = 32, kRows = 8;

__global__ void transpose(const float* in, float* out, int height, int width) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows) {
    if (x < width && y + row < height) {
      tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows) {
    if (x < height && y + row < width) {
      out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
    }
  }
}

int main() {
  const int height = 50, width = 70, n = height * width;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kRows)>>>(din, dout, height, width);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) right &= out[x * height + y] == in[y * width + x];
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
