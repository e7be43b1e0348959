// Threads that wait for each other inside a block, through atomics and fences: a lock, and a flag
// that one warp sets for another.
#include "../check.h"

__global__ void with_lock(int* lock, int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *total += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void with_flag(int* out) {
  __shared__ int message, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 63) {
    message = 42;
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence_block();
    *out = message;
  }
}

int main() {
  int *dlock, *dtotal, total = 0, message = 0;
  CHECK(cudaMalloc(&dlock, sizeof(int)));
  CHECK(cudaMalloc(&dtotal, sizeof(int)));
  CHECK(cudaMemset(dlock, 0, sizeof(int)));
  CHECK(cudaMemset(dtotal, 0, sizeof(int)));
  with_lock<<<3, 64>>>(dlock, dtotal);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&total, dtotal, sizeof(int), cudaMemcpyDeviceToHost));
  with_flag<<<1, 64>>>(dtotal);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&message, dtotal, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dlock));
  CHECK(cudaFree(dtotal));
  return verdict(total == 3 * 63 * 64 / 2 && message == 42);
}
