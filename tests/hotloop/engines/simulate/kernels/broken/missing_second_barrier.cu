// expect: race 9,11
// Tiles of a sum: the next step's write comes before slower warps have read the last one's tile.
#include "../check.h"

__global__ void sum_of_tiles(const int* in, int* out, int tiles) {
  __shared__ int tile[128];
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    tile[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    sum += tile[(threadIdx.x + 40) % 128];
  }
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<int> in(512, 1);
  int *din, *dout;
  CHECK(cudaMalloc(&din, 512 * sizeof(int)));
  CHECK(cudaMalloc(&dout, 128 * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), 512 * sizeof(int), cudaMemcpyHostToDevice));
  sum_of_tiles<<<1, 128>>>(din, dout, 4);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
