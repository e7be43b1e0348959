// Inclusive prefix sums of a block: shuffles within warps, the warps' totals in shared memory.
#include "../check.h"

__device__ int warp_scan(int v, int lane) {
  for (int reach = 1; reach < 32; reach *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, v, reach);
    if (lane >= reach) v += before;
  }
  return v;
}

__global__ void scan(const int* in, int* out, int n) {
  __shared__ int totals[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = threadIdx.x < n ? in[threadIdx.x] : 0;
  v = warp_scan(v, lane);
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const int warps = blockDim.x / 32;
    const int total = warp_scan(lane < warps ? totals[lane] : 0, lane);
    if (lane < warps) totals[lane] = total;
  }
  __syncthreads();
  if (warp > 0) v += totals[warp - 1];
  if (threadIdx.x < n) out[threadIdx.x] = v;
}

int main() {
  const int n = 700;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 5 * i % 19 - 7;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan<<<1, 704>>>(din, dout, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0, sum = 0; i < n; ++i) right &= out[i] == (sum += in[i]);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
