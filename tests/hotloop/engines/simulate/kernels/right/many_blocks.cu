// 3000 blocks, and blocks of 1024 threads.
#include "../check.h"

__global__ void squares(unsigned* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i * i;
}

__global__ void reverse(unsigned* x) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = x[blockIdx.x * 1024 + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * 1024 + threadIdx.x] = s[1023 - threadIdx.x];
}

int main() {
  const int n = 4096;
  std::vector<unsigned> x(n);
  unsigned* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(unsigned)));
  squares<<<3000, 2>>>(dx, n);
  reverse<<<n / 1024, 1024>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x.data(), dx, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  bool right = true;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned from = i / 1024 * 1024 + 1023 - i % 1024;
    right &= x[i] == from * from;
  }
  return verdict(right);
}
