// expect: race 14,16; order -
// Threads announce at a cuda::barrier that they have written, and read what others write without waiting.
#include <cuda/barrier>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rotate(int* out) {
  __shared__ int values[64];
  __shared__ barrier met;
  if (threadIdx.x == 0) init(&met, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  met.arrive();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

int main() {
  int* device;
  int host[64];
  CHECK(cudaMalloc(&device, sizeof host));
  rotate<<<1, 64>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[63]);
  return 0;
}
