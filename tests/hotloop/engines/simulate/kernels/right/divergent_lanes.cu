// What lanes may do apart: a barrier of a part of the warp, masks that name who takes part, votes
// in a loop that lanes leave one by one, and branches that a compiler may copy.
#include "../check.h"

__global__ void apart(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, lane = t & 31;
  int v = in[t];
  if (lane < 16) {
    v += __shfl_xor_sync(0x0000ffffu, v, 1);
    s[t] = v;
    __syncwarp(0x0000ffffu);
    v += s[t ^ 2];
  } else {
    v += __shfl_xor_sync(0xffff0000u, v, 4);
  }
  __syncwarp();
  unsigned active = __ballot_sync(~0u, lane < 20);
  int rounds = 0;
  if (lane < 20) {
    while (true) {
      ++rounds;
      const unsigned rest = __ballot_sync(active, rounds < lane);
      if (rounds >= lane) break;
      active = rest;
    }
  }
  __syncwarp();
  if (t % 2) {
    v += 1;
  } else {
    v -= 1;
  }
  __syncthreads();
  out[t] = v + __shfl_sync(~0u, rounds, 19) + rounds;
}

int main() {
  const int n = 64;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * i % 37;
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  apart<<<1, n>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  bool right = true;
  for (int t = 0; t < n; ++t) {
    const int lane = t % 32;
    int v = lane < 16 ? in[t] + in[t ^ 1] + in[t ^ 2] + in[t ^ 3] : in[t] + in[t ^ 4];
    const int rounds = lane < 20 ? (lane ? lane : 1) : 0;
    right &= out[t] == v + (t % 2 ? 1 : -1) + 19 + rounds;
  }
  return verdict(right);
}
