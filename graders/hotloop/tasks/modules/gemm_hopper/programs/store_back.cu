// Launches store_back: persistent blocks of 128 threads, a few for each multiprocessor.
#include "hotloop/hopper.cuh"

static int multiprocessors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

__global__ void store_back(const float* in, float* out, int rows, int columns);

extern "C" int hotloop_run(void* const* tensors, const double* numbers) {
  const int rows = static_cast<int>(numbers[0]), columns = static_cast<int>(numbers[1]), most = 4 * multiprocessors();
  store_back<<<rows < most ? rows : most, 128>>>(
      static_cast<const float*>(tensors[0]), static_cast<float*>(tensors[1]), rows, columns);
  return cudaGetLastError();
}
