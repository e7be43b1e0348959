// expect: managed_access 15
// Writes managed memory while the kernel that reads it may still run.
#include "../check.h"

__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
  int *x, *y, host[32];
  cudaMallocManaged(&x, 128);
  cudaMalloc(&y, 128);
  for (int i = 0; i < 32; ++i) x[i] = i;
  copy<<<1, 32>>>(y, x);
  copy<<<1, 32>>>(y, x);
  const int same = x[5];  // no kernel writes it
  x[31] = 7;
  cudaMemcpy(host, y, 128, cudaMemcpyDeviceToHost);
  x[0] = host[0];
  return host[31] != 31 || same != 5;
}
