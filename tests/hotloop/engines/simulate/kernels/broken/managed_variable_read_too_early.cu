// expect: managed_access 11
// Reads a managed variable while the kernel that writes it may still run.
#include "../check.h"

__managed__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

int main() {
  count<<<1, 32>>>();
  const int early = counter;
  cudaDeviceSynchronize();
  return counter != 32 || early != 32;
}
