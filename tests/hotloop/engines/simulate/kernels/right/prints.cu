// A kernel that prints: each thread a line, in whatever order the threads run.
#include "../check.h"

__global__ void greet() { printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

int main() {
  greet<<<2, 3>>>();
  CHECK_LAUNCH();
  return verdict(true);
}
