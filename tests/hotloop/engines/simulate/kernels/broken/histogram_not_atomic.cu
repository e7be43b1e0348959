// expect: race 9
// A histogram in shared memory that counts with ++.
#include "../check.h"

__global__ void histogram(const int* data, int* bins) {
  __shared__ int local[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  ++local[data[threadIdx.x] % 8];
  __syncthreads();
  if (threadIdx.x < 8) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
  std::vector<int> data(96);
  for (int i = 0; i < 96; ++i) data[i] = i * i;
  int *ddata, *dbins;
  CHECK(cudaMalloc(&ddata, 96 * sizeof(int)));
  CHECK(cudaMalloc(&dbins, 8 * sizeof(int)));
  CHECK(cudaMemcpy(ddata, data.data(), 96 * sizeof(int), cudaMemcpyHostToDevice));
  histogram<<<1, 96>>>(ddata, dbins);
  CHECK_LAUNCH();
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dbins));
  return 0;
}
