// A one-dimensional stencil: each block loads its elements and a halo on both sides.
#include "../check.h"

constexpr int kRadius = 3, kThreads = 64;

__global__ void stencil(const int* in, int* out, int n) {
  __shared__ int s[kThreads + 2 * kRadius];
  const int i = blockIdx.x * kThreads + threadIdx.x, at = threadIdx.x + kRadius;
  s[at] = i < n ? in[i] : 0;
  if (threadIdx.x < kRadius) {
    s[at - kRadius] = i >= kRadius ? in[i - kRadius] : 0;
    s[at + kThreads] = i + kThreads < n ? in[i + kThreads] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -kRadius; offset <= kRadius; ++offset) sum += s[at + offset];
  if (i < n) out[i] = sum;
}

int main() {
  const int n = 200;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i % 23;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  stencil<<<(n + kThreads - 1) / kThreads, kThreads>>>(din, dout, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int j = i - kRadius; j <= i + kRadius; ++j) sum += j >= 0 && j < n ? in[j] : 0;
    right &= out[i] == sum;
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
