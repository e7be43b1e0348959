// expect: failed_call -
// A kernel is called like a function of the host's, by a pointer: nothing is launched.
#include "../check.h"

__global__ void add(int* x, int by) { atomicAdd(x, by); }

template <class F, class... Arguments>
void call(F function, Arguments... arguments) {
  function(arguments...);
}

int main() {
  int x, *device;
  CHECK(cudaMalloc(&device, sizeof x));
  CHECK(cudaMemset(device, 0, sizeof x));
  add<<<1, 1>>>(device, 1);
  CHECK_LAUNCH();
  call(add, device, 1);
  CHECK(cudaMemcpy(&x, device, sizeof x, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return verdict(x == 1);
}
