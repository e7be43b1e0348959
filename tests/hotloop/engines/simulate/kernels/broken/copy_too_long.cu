// expect: failed_call 9
// A copy of more bytes than were allocated, whose result is thrown away.
#include "../check.h"

int main() {
  std::vector<int> x(64, 1);
  int* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(int)));
  cudaMemcpy(dx, x.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
  CHECK(cudaFree(dx));
  return 0;
}
