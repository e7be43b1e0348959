// expect: race 11,8; order -
// Smoothing in place: a block reads its neighbor's elements while the neighbor overwrites them.
#include "../check.h"

__global__ void smooth(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (i > 0 && i < n - 1) sum = x[i - 1] + x[i] + x[i + 1];
  __syncthreads();
  if (i > 0 && i < n - 1) {
    x[i] = sum / 3;
  }
}

int main() {
  const int n = 128;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = i % 5;
  float* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  smooth<<<4, 32>>>(dx, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x.data(), dx, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i += 16) std::printf("%.6f %.6f\n", x[i], x[i + 15]);
  CHECK(cudaFree(dx));
  return 0;
}
