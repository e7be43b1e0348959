// Exclusive prefix sums after Blelloch: up the tree, then down, in dynamic shared memory.
#include "../check.h"

__global__ void scan(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[2 * t] = in[2 * t];
  s[2 * t + 1] = in[2 * t + 1];
  int offset = 1;
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
  }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      const int v = s[left];
      s[left] = s[right];
      s[right] += v;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t];
  out[2 * t + 1] = s[2 * t + 1];
}

int main() {
  const int n = 512;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 7 * i % 13 - 3;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan<<<1, n / 2, n * sizeof(int)>>>(din, dout, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0, sum = 0; i < n; sum += in[i++]) right &= out[i] == sum;
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
