// expect: assert 16
// The barrier expects one arrival a warp; a thread arrives for all 64 threads.
#include <cuda/barrier>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void one_for_all(int* out) {
  __shared__ int value;
  __shared__ barrier ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x / 32);
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 7;
    (void)ready.arrive(blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x == 33) *out = value;
}

int main() {
  int* device;
  CHECK(cudaMalloc(&device, sizeof(int)));
  one_for_all<<<1, 64>>>(device);
  CHECK_LAUNCH();
  return verdict(true);
}
