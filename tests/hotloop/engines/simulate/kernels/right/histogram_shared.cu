// A histogram: each block counts in shared memory and adds its counts to the total.
#include "../check.h"

constexpr int kBins = 64;

__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i] % kBins], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], local[bin]);
}

int main() {
  const int n = 4000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(kBins), bins(kBins);
  for (int i = 0; i < n; ++i) {
    data[i] = static_cast<unsigned char>(i * 37 % 251);
    ++expected[data[i] % kBins];
  }
  unsigned char* ddata;
  unsigned* dbins;
  CHECK(cudaMalloc(&ddata, n));
  CHECK(cudaMalloc(&dbins, kBins * sizeof(unsigned)));
  CHECK(cudaMemcpy(ddata, data.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dbins, 0, kBins * sizeof(unsigned)));
  histogram<<<4, 96>>>(ddata, dbins, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(bins.data(), dbins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(ddata));
  CHECK(cudaFree(dbins));
  return verdict(bins == expected);
}
