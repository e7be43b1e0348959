// Launches bulk_copy: a block of 256 threads for 1,024 numbers.
#include "hotloop/hopper.cuh"

__global__ void bulk_copy(const float* in, float* out, int count);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int count = static_cast<int>(numbers[0]);
  bulk_copy<<<count / 1024, 256>>>(static_cast<const float*>(tensors[0]), static_cast<float*>(tensors[1]), count);
  return cudaGetLastError();
}
