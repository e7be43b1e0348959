// A kernel that prints: each thread a line, in whatever order the threads run.
#include "../check.h"

__global__ void greet() {
  printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x);
  // Compilers like to call puts and putchar for these.
  printf("a text alone\n");
  printf("%s\n", "another one");
  printf("%c", 'x');
  printf("\n");
}

int main() {
  greet<<<2, 3>>>();
  CHECK_LAUNCH();
  return verdict(true);
}
