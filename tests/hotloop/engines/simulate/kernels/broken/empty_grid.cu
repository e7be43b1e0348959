// expect: unchecked_error 14
// A grid computed by a division that rounds to 0, and a launch that nobody looks at.
#include "../check.h"

__global__ void fill(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}

int main() {
  const int n = 100;
  int* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(int)));
  fill<<<n / 256, 256>>>(dx, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(dx));
  return 0;
}
