// __launch_bounds__: a launch within them runs, one beyond them is an error that the caller sees.
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
  CHECK(cudaFree(dx));
  return verdict(refused && x == std::vector<int>(256, 256));
}
