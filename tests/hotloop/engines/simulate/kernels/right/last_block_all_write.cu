// The last block again, where every thread writes: each makes its own writes visible with a fence,
// a barrier collects them, and one thread counts the block.
#include "../check.h"

__device__ unsigned arrived;

__global__ void column_sums(const int* in, int* parts, int* out, int rows) {
  __shared__ unsigned ticket;
  int sum = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    sum += in[row * blockDim.x + threadIdx.x];
  }
  parts[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicAdd(&arrived, 1);
  __syncthreads();
  if (ticket == gridDim.x - 1) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += parts[b * blockDim.x + threadIdx.x];
    out[threadIdx.x] = total;
  }
}

int main() {
  const int rows = 50, columns = 96, blocks = 7;
  std::vector<int> in(rows * columns), out(columns), expected(columns);
  for (int i = 0; i < rows * columns; ++i) expected[i % columns] += in[i] = i * 3 % 41;
  int *din, *dparts, *dout;
  CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&dparts, blocks * columns * sizeof(int)));
  CHECK(cudaMalloc(&dout, columns * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  column_sums<<<blocks, columns>>>(din, dparts, dout, rows);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, columns * sizeof(int), cudaMemcpyDeviceToHost));
  for (int* p : {din, dparts, dout}) CHECK(cudaFree(p));
  return verdict(out == expected);
}
