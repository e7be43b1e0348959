// expect: division_by_zero 6
// An integer division by a count that is 0 for one thread: a GPU gives some number and says nothing.
#include "../check.h"

__global__ void averages(const int* sums, const int* counts, int* out) {
  out[threadIdx.x] = sums[threadIdx.x] / counts[threadIdx.x];
}

int main() {
  std::vector<int> sums(8, 12), counts = {1, 2, 3, 0, 4, 6, 1, 1};
  int *dsums, *dcounts, *dout;
  CHECK(cudaMalloc(&dsums, 8 * sizeof(int)));
  CHECK(cudaMalloc(&dcounts, 8 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 8 * sizeof(int)));
  CHECK(cudaMemcpy(dsums, sums.data(), 8 * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dcounts, counts.data(), 8 * sizeof(int), cudaMemcpyHostToDevice));
  averages<<<1, 8>>>(dsums, dcounts, dout);
  CHECK_LAUNCH();
  for (int* p : {dsums, dcounts, dout}) CHECK(cudaFree(p));
  return 0;
}
