// expect: managed_access 16
// Reads page-locked memory while a copy into it may still run.
#include "../check.h"

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int *x, *host;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, 128);
  cudaMallocHost(&host, 128);
  host[5] = 0;
  fill<<<1, 32, 0, stream>>>(x);
  cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, stream);
  const int early = host[5];
  cudaStreamSynchronize(stream);
  return early != 5 || host[5] != 5;
}
