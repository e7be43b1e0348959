// expect: out_of_bounds 10
// A column index that runs into the next row of a two-dimensional tile.
#include "../check.h"

__global__ void shift(float* x) {
  __shared__ float tile[4][8];
  const int column = threadIdx.x, row = threadIdx.y;
  tile[row][column] = x[row * 8 + column];
  __syncthreads();
  if (row < 3) x[row * 8 + column] = tile[row][column + 1];
}

int main() {
  std::vector<float> x(32, 1);
  float* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), 32 * sizeof(float), cudaMemcpyHostToDevice));
  shift<<<1, dim3(8, 4)>>>(dx);
  cudaDeviceSynchronize();
  return 0;
}
