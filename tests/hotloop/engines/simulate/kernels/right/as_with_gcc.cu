// What programs use without including it, because the headers of g++ and glibc bring it along.
#include <iomanip>
#include <iostream>

#include "../check.h"

__global__ void fill(uint* x, ulong value) { x[threadIdx.x] = value; }

int main() {
  timespec time;
  bool right = !clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  uint x[32], *device;
  CHECK(cudaMalloc(&device, sizeof x));
  fill<<<1, 32>>>(device, 7);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x, device, sizeof x, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  std::stringstream text;
  text << std::setw(2) << x[31];
  return verdict(right && text.str() == " 7");
}
