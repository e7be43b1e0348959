// refused
// Bytes behind the compiler's line table which nobody can read to their end.
#include <cuda_runtime.h>

extern "C" __global__ void k(float* x) {
  asm volatile(
      ".section .debug_line,\"\",@\n"
      ".int32 30\n .int16 4\n .int32 5\n"
      ".int8 1\n .int8 1\n .int8 1\n .int8 1\n .int8 14\n .int8 13\n"
      ".int32 0x41414141\n .int32 0x41414141\n .int32 0x41414141\n .int32 0x41414141\n"
      ".section .text.k,\"\",@\n");
  x[threadIdx.x] = 1;
}
