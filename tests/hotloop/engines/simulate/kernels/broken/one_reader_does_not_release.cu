// expect: race 17,24
// All threads but one say that they have read.
#include <cuda/atomic>

#include "../check.h"

using counter = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

__global__ void all_but_one(int* out) {
  __shared__ int value;
  __shared__ unsigned count;
  if (threadIdx.x == 0) {
    value = 3;
    count = 0;
  }
  __syncthreads();
  out[threadIdx.x] = value;
  if (threadIdx.x != 77) {
    counter(count).fetch_add(1, cuda::memory_order_release);
  }
  if (threadIdx.x == 5) {
    while (counter(count).load(cuda::memory_order_acquire) != blockDim.x - 1) {
    }
    value = 3 + blockDim.x;
  }
}

int main() {
  int* device;
  CHECK(cudaMalloc(&device, 128 * sizeof(int)));
  all_but_one<<<1, 128>>>(device);
  CHECK_LAUNCH();
  return verdict(true);
}
