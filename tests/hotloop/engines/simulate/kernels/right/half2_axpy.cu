// a·x + y in pairs of halves: one load of 4 bytes moves two values.
#include <cuda_fp16.h>

#include "../check.h"

__global__ void axpy(__half2 a, const __half2* x, __half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(a, x[i], y[i]);
}

int main() {
  const int n = 300;
  std::vector<__half> x(n), y(n), out(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(0.25f * (i % 40));
    y[i] = __float2half(10.0f - i % 8);
  }
  __half2 *dx, *dy;
  CHECK(cudaMalloc(&dx, n * sizeof(__half)));
  CHECK(cudaMalloc(&dy, n * sizeof(__half)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dy, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  axpy<<<3, 64>>>(__float2half2_rn(1.5f), dx, dy, n / 2);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dy, n * sizeof(__half), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) {
    const float exact = 1.5f * __half2float(x[i]) + __half2float(y[i]);
    right &= __half2float(out[i]) == __half2float(__float2half(exact));
  }
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return verdict(right);
}
