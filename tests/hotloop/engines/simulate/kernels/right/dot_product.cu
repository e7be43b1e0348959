// A dot product: a sum per block in shared memory, added to the total by an atomic.
#include "../check.h"

constexpr int kThreads = 128;

__global__ void dot(const double* a, const double* b, double* total, int n) {
  __shared__ double s[kThreads];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += a[i] * b[i];
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = kThreads / 2; stride >= 32; stride >>= 1) {
    if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    sum = s[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x == 0) atomicAdd(total, sum);
  }
}

int main() {
  const int n = 1000;
  std::vector<double> a(n), b(n);
  double expected = 0, total = 0;
  for (int i = 0; i < n; ++i) expected += (a[i] = i % 10) * (b[i] = i % 7 - 3);
  double *da, *db, *dtotal;
  CHECK(cudaMalloc(&da, n * sizeof(double)));
  CHECK(cudaMalloc(&db, n * sizeof(double)));
  CHECK(cudaMalloc(&dtotal, sizeof(double)));
  CHECK(cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dtotal, 0, sizeof(double)));
  dot<<<3, kThreads>>>(da, db, dtotal, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&total, dtotal, sizeof(double), cudaMemcpyDeviceToHost));
  for (double* p : {da, db, dtotal}) CHECK(cudaFree(p));
  return verdict(total == expected);
}
