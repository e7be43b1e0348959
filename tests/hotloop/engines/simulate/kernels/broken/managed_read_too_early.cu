// expect: managed_access 14
// Reads managed memory while the kernel that writes it may still run.
#include "../check.h"

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int *x, *y;
  cudaMallocManaged(&x, 128);
  cudaMallocManaged(&y, 128);
  y[0] = 1;
  fill<<<1, 32>>>(x);
  const int other = y[0];  // no kernel writes it
  const int early = x[31];
  cudaDeviceSynchronize();
  return x[31] != 31 || other != 1 || early != 31;
}
