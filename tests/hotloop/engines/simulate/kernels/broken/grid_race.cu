// expect: race 13,14
// Blocks read what others write before the grid has met; behind grid.sync() it would be right.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

__global__ void neighbors(int* values) {
  const unsigned i = cg::this_grid().thread_rank(), count = cg::this_grid().num_threads();
  values[i] = i;
  cg::this_grid().sync();
  const int next = values[(i + 32) % count];
  values[i] = next;
}

int main() {
  int* values;
  CHECK(cudaMalloc(&values, 64 * sizeof(int)));
  void* arguments[] = {&values};
  CHECK(cudaLaunchCooperativeKernel(neighbors, dim3(2), dim3(32), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  return 0;
}
