// expect: unsupported -
// Host code throws an exception, which the simulator does not support.
#include "../check.h"

#include <stdexcept>

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x;
  CHECK(cudaMalloc(&x, 32 * sizeof(int)));
  fill<<<1, 32>>>(x);
  CHECK_LAUNCH();
  try {
    throw std::runtime_error("found nothing");
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  return 0;
}
