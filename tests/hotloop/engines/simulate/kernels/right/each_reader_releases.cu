// Each thread reads, and says so by an atomic of its own; one waits for all of them and overwrites what they have read.
#include <cuda/atomic>

#include "../check.h"

using counter = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

__device__ void overwrite_when_all_have_read(unsigned& count, int& value, unsigned writer) {
  if (threadIdx.x != writer) return;
  while (counter(count).load(cuda::memory_order_acquire) != blockDim.x) {
  }
  value = 4;
}

template <int Form>
__global__ void read_then_overwrite(int* out, unsigned writer) {
  __shared__ int value;
  __shared__ unsigned count;
  if (threadIdx.x == 0) {
    value = 3;
    count = 0;
  }
  __syncthreads();
  out[threadIdx.x] = value;
  if (Form == 0) {
    counter(count).fetch_add(1, cuda::memory_order_release);
  } else if (Form == 1) {
    __threadfence_block();
    atomicAdd(&count, 1);
  } else {
    // A warp's lanes meet, and one of them speaks for all.
    __syncwarp();
    if (threadIdx.x % 32 == 0) counter(count).fetch_add(32, cuda::memory_order_release);
  }
  overwrite_when_all_have_read(count, value, writer);
}

int main() {
  int* device;
  int host[128];
  CHECK(cudaMalloc(&device, sizeof host));
  bool right = true;
  for (unsigned writer : {0u, 1u, 31u, 96u}) {
    read_then_overwrite<0><<<1, 128>>>(device, writer);
    CHECK_LAUNCH();
    read_then_overwrite<1><<<1, 128>>>(device, writer);
    CHECK_LAUNCH();
    read_then_overwrite<2><<<1, 128>>>(device, writer);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host) right &= value == 3;
  }
  CHECK(cudaFree(device));
  return verdict(right);
}
