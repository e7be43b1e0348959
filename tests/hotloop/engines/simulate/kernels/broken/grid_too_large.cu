// expect: failed_call 10
// More blocks than run at the same time: 2 of 1024 threads on each of 132 multiprocessors.
#include <cooperative_groups.h>

#include "../check.h"

__global__ void meet() { cooperative_groups::this_grid().sync(); }
int main() {
  void* arguments[1] = {};
  const cudaError_t error = cudaLaunchCooperativeKernel(meet, dim3(265), dim3(1024), arguments, 0, nullptr);
  return error == cudaErrorCooperativeLaunchTooLarge ? 0 : 1;
}
