// expect: failed_call 17
// Asks for the time between two events before the second one has happened.
#include "../check.h"

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* x;
  float time = 0;
  cudaEvent_t start, stop;
  cudaMalloc(&x, 128);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  fill<<<1, 32>>>(x);
  cudaEventRecord(stop);
  cudaEventElapsedTime(&time, start, stop);
  cudaFree(x);
  return time != 0;
}
