// refused
// A variable so large that other threads' local memory lies in it, where writes are nobody's business.
#include <cuda_runtime.h>

__device__ float large[1 << 27];
__global__ void k(float* x) {
  large[threadIdx.x + static_cast<unsigned>(x[0])] = 1;
  x[threadIdx.x] = large[threadIdx.x + 1];
}
