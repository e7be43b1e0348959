// A histogram whose every count is an atomic in global memory.
#include "../check.h"

constexpr int kBins = 10;

__global__ void histogram(const int* data, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + data[i], 1);
}

int main() {
  const int n = 3000;
  std::vector<int> data(n), expected(kBins), bins(kBins);
  for (int i = 0; i < n; ++i) ++expected[data[i] = i * i % kBins];
  int *ddata, *dbins;
  CHECK(cudaMalloc(&ddata, n * sizeof(int)));
  CHECK(cudaMalloc(&dbins, kBins * sizeof(int)));
  CHECK(cudaMemcpy(ddata, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dbins, 0, kBins * sizeof(int)));
  histogram<<<(n + 255) / 256, 256>>>(ddata, dbins, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(bins.data(), dbins, kBins * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dbins));
  return verdict(bins == expected);
}
