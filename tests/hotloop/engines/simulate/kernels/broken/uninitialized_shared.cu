// expect: uninitialized_shared 7
// Bins that nobody has set to zero before they are counted in.
#include "../check.h"

__global__ void histogram(const int* data, int* bins) {
  __shared__ int local[8];
  atomicAdd(&local[data[threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 8) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
  std::vector<int> data(64);
  for (int i = 0; i < 64; ++i) data[i] = i % 8;
  int *ddata, *dbins;
  CHECK(cudaMalloc(&ddata, 64 * sizeof(int)));
  CHECK(cudaMalloc(&dbins, 8 * sizeof(int)));
  CHECK(cudaMemcpy(ddata, data.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  histogram<<<1, 64>>>(ddata, dbins);
  CHECK_LAUNCH();
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dbins));
  return 0;
}
