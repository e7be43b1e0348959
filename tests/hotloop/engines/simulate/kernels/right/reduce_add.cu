// The reductions of sm_80: sum, least and largest of a warp in one instruction each; votes of a
// block.
#include "../check.h"

__global__ void reduce(const int* in, int* out) {
  const int v = in[threadIdx.x];
  const int sum = __reduce_add_sync(~0u, v);
  const int least = __reduce_min_sync(~0u, v);
  const int largest = __reduce_max_sync(~0u, v);
  const unsigned bits = __reduce_or_sync(~0u, static_cast<unsigned>(v) & 7u);
  const int negative = __syncthreads_count(v < 0);
  const int any = __syncthreads_or(v == 30), all = __syncthreads_and(v > -100);
  if (threadIdx.x % 32) return;
  int* mine = out + threadIdx.x / 32 * 7;
  mine[0] = sum;
  mine[1] = least;
  mine[2] = largest;
  mine[3] = static_cast<int>(bits);
  mine[4] = negative;
  mine[5] = any;
  mine[6] = all;
}

int main() {
  const int n = 64;
  std::vector<int> in(n), out(14);
  int negative = 0;
  for (int i = 0; i < n; ++i) negative += (in[i] = i - 20) < 0;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, out.size() * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reduce<<<1, n>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int warp = 0; warp < 2; ++warp) {
    const int first = in[warp * 32], last = in[warp * 32 + 31];
    const std::vector<int> expected = {(first + last) * 16, first, last, 7, negative, 1, 1};
    right &= std::vector<int>(&out[warp * 7], &out[warp * 7] + 7) == expected;
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
