// expect: failed_call 11
// Copies to a variable of the device by its name, which is another variable in host code.
#include "../check.h"

__constant__ int table[4];
__global__ void read(int* out) { out[threadIdx.x] = table[threadIdx.x]; }

int main() {
  int *x, host[4] = {};
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice);
  read<<<1, 4>>>(x);
  return cudaDeviceSynchronize();
}
