// expect: race 19,23
// The reader waits for the first phase and takes what belongs to the second.
#include <cuda/barrier>
#include <utility>

#include "../check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void one_phase_early(int* out) {
  __shared__ int value;
  __shared__ barrier ready;
  if (threadIdx.x == 0) init(&ready, 2);
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 6;
    barrier::arrival_token first = ready.arrive();
    ready.wait(std::move(first));
    value = 7;
    (void)ready.arrive(2);
  } else if (threadIdx.x == 32) {
    ready.wait(ready.arrive());
    *out = value;
  }
}

int main() {
  int* device;
  CHECK(cudaMalloc(&device, sizeof(int)));
  one_phase_early<<<1, 64>>>(device);
  CHECK_LAUNCH();
  return verdict(true);
}
