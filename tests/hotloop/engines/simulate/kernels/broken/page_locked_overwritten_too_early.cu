// expect: managed_access 18
// Overwrites page-locked memory while a copy may still read it.
#include "../check.h"

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  int *x, *y, *host, *result;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaHostAlloc(&host, 128, cudaHostAllocDefault);
  cudaHostAlloc(&result, 128, cudaHostAllocDefault);
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMemcpyAsync(x, host, 128, cudaMemcpyHostToDevice);
  const int allowed = host[7];
  copy<<<1, 32>>>(x, y);
  cudaMemcpyAsync(result, y, 128, cudaMemcpyDeviceToHost);
  host[7] = 0;
  cudaDeviceSynchronize();
  return result[7] != 7 || allowed != 7;
}
