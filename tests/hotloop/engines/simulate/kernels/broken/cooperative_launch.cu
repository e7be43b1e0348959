// expect: failed_call 13
// A cooperative launch of two blocks, which would have to run at the same time.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() {
  cooperative_groups::this_grid().sync();
}

int main() {
  void* arguments[1] = {};
  const cudaError_t error = cudaLaunchCooperativeKernel(meet, dim3(2), dim3(32), arguments, 0, nullptr);
  return error == cudaErrorNotSupported ? 0 : 1;
}
