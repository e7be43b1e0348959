// expect: out_of_bounds 9
// A thread's own array, indexed by a count that may reach its size.
#include "../check.h"

__global__ void keep(const int* in, int* out, int n) {
  int kept[4], count = 0;
  for (int i = 0; i < n; ++i) {
    if (in[i] > 0) {
      kept[count++] = in[i];
    }
  }
  for (int i = 0; i < count; ++i) out[i] = kept[i];
}

int main() {
  const int n = 8;
  const std::vector<int> in = {1, 0, 1, 1, 0, 1, 1, 1};
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  keep<<<1, 1>>>(din, dout, n);
  cudaDeviceSynchronize();
  return 0;
}
