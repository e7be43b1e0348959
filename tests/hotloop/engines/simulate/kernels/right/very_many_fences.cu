// More fences than the checker keeps, most of which no atomic follows; and an atomic on each of 70,000 numbers.
#include "../check.h"

__global__ void fences(int* counts, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    for (int k = 0; k < 8; ++k) __threadfence();
    atomicAdd(counts + i, 1);
  }
}

int main() {
  const int n = 70000;
  std::vector<int> counts(n);
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemset(device, 0, n * sizeof(int)));
  fences<<<1, 256>>>(device, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(counts.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int count : counts) {
    if (count != 1) return 1;
  }
  std::puts("PASS");
}
