// expect: out_of_bounds 6,12
// The last row of a matrix is copied with the length of the longest.
#include "../check.h"

__global__ void copy_rows(const char* in, char* out, int width) {
  memcpy(out + threadIdx.x * width, in + threadIdx.x * width, width + 4);
}

int main() {
  char *din, *dout;
  CHECK(cudaMalloc(&dout, 4 * 20));
  CHECK(cudaMalloc(&din, 4 * 16));
  CHECK(cudaMemset(din, 0, 4 * 16));
  copy_rows<<<1, dim3(4)>>>(din, dout, 16);
  cudaDeviceSynchronize();
  return 0;
}
