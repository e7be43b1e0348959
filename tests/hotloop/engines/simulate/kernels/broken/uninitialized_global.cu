// expect: uninitialized_global 7
// cudaMalloc does not clear: the total starts with whatever lay there.
#include "../check.h"

__global__ void sum(const int* in, int* total, int n) {
  for (int i = 0; i < n; ++i) {
    *total += in[i];
  }
}

int main() {
  std::vector<int> in(10, 1);
  int *din, *dtotal;
  CHECK(cudaMalloc(&din, 10 * sizeof(int)));
  CHECK(cudaMalloc(&dtotal, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 10 * sizeof(int), cudaMemcpyHostToDevice));
  sum<<<1, 1>>>(din, dtotal, 10);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dtotal));
  return 0;
}
