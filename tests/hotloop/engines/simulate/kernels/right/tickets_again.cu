// Blocks take tickets, in several launches: what the checker noted of one launch is nothing to the next.
#include "../check.h"

__device__ unsigned tickets;

__global__ void take(unsigned* last) {
  __shared__ unsigned ticket;
  __threadfence();
  if (threadIdx.x == 0) ticket = atomicAdd(&tickets, 1);
  __syncthreads();
  if (ticket == gridDim.x - 1) {
    last[threadIdx.x] = ticket;
    __syncthreads();
    if (threadIdx.x == 0) tickets = 0;
  }
}

int main() {
  const int n = 128;
  unsigned* device;
  CHECK(cudaMalloc(&device, n * sizeof(unsigned)));
  for (int launch = 0; launch < 3; ++launch) {
    take<<<16, n>>>(device);
    CHECK_LAUNCH();
  }
  std::vector<unsigned> last(n);
  CHECK(cudaMemcpy(last.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (unsigned x : last) right &= x == 15;
  return verdict(right);
}
