// expect: race 15,18
// A thread that only arrives does not know what those have written that arrived before it.
#include <cuda/barrier>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void peek(int* out) {
  __shared__ int value;
  __shared__ barrier ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 7;
  }
  ready.arrive();
  if (threadIdx.x == 33) *out = value;
}

int main() {
  int* device;
  CHECK(cudaMalloc(&device, sizeof(int)));
  peek<<<1, 64>>>(device);
  CHECK_LAUNCH();
  return verdict(true);
}
