// __launch_bounds__: a launch within them runs, one beyond them is an error that the caller sees,
// and what asks for a good size gets one within them.
#include "../check.h"

template <int kMost>
__global__ void __launch_bounds__(kMost, 2) fill(int* x) {
  x[threadIdx.x] = kMost;
}

int main() {
  std::vector<int> x(256);
  int* dx;
  CHECK(cudaMalloc(&dx, 256 * sizeof(int)));
  fill<256><<<1, 256>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x.data(), dx, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  fill<128><<<1, 256>>>(dx);
  const bool refused = cudaGetLastError() != cudaSuccess;
  int grid, block, blocks;
  cudaFuncAttributes attributes;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill<128>));
  CHECK(cudaFuncGetAttributes(&attributes, fill<128>));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<128>, block, 0));
  fill<128><<<1, block>>>(dx);
  CHECK_LAUNCH();
  const bool is_bound = block <= 128 && attributes.maxThreadsPerBlock == 128 && blocks > 0;
  CHECK(cudaFree(dx));
  return verdict(refused && is_bound && x == std::vector<int>(256, 256));
}
