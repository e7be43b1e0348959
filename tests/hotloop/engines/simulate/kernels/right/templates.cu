// Kernels that are templates: arguments given, deduced, half of each, defaulted, and packs.
#include "../check.h"

template <typename T, int kFactor>
__global__ void scale(T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= kFactor;
}

template <typename T, typename F>
__global__ void apply(T* x, int n, F change) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = change(x[i]);
}

template <int kThreads, typename T, typename Total = T>
__global__ void sum(const T* x, Total* total) {
  __shared__ Total s[kThreads];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    *total = 0;
    for (int i = 0; i < kThreads; ++i) *total += s[i];
  }
}

template <typename... Values>
__global__ void sum_of(float* out, Values... values) {
  *out = (values + ...);
}

struct AddOne {
  __host__ __device__ float operator()(float x) const { return x + 1; }
};

int main() {
  const int n = 64;
  std::vector<float> x(n, 2.0f);
  float *dx, *dtotal;
  double* dprecise;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMalloc(&dtotal, sizeof(float)));
  CHECK(cudaMalloc(&dprecise, sizeof(double)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale<float, 3><<<2, 32>>>(dx, n);
  apply<<<2, 32>>>(dx, n, AddOne());
  apply<float><<<2, 32>>>(dx, n, AddOne{});
  sum<n><<<1, n>>>(dx, dtotal);
  sum<n, float, double><<<1, n>>>(dx, dprecise);
  CHECK_LAUNCH();
  float total = 0, packed = 0;
  double precise = 0;
  CHECK(cudaMemcpy(&total, dtotal, sizeof total, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&precise, dprecise, sizeof precise, cudaMemcpyDeviceToHost));
  sum_of<<<1, 1>>>(dtotal, 1, 2.5f, 3.0);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&packed, dtotal, sizeof packed, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dtotal));
  CHECK(cudaFree(dprecise));
  return verdict(total == 8.0f * n && precise == 8.0 * n && packed == 6.5f);
}
