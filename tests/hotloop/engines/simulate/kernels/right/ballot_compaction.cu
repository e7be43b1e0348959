// Compaction: a warp's ballot gives each lane that keeps its value a place. One atomic a warp; the
// order of the warps is open, so the result is compared as a set.
#include <algorithm>

#include "../check.h"

__global__ void keep_even(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x & 31;
  const bool keep = i < n && in[i] % 2 == 0;
  const unsigned kept = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0 && kept) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}

int main() {
  const int n = 500;
  std::vector<int> in(n), expected;
  for (int i = 0; i < n; ++i) {
    in[i] = i * 7 % 1009;
    if (in[i] % 2 == 0) expected.push_back(in[i]);
  }
  int *din, *dout, *dcount, count = 0;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMalloc(&dcount, sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dcount, 0, sizeof(int)));
  keep_even<<<(n + 127) / 128, 128>>>(din, dout, dcount, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&count, dcount, sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> out(count);
  CHECK(cudaMemcpy(out.data(), dout, count * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(out.begin(), out.end());
  std::sort(expected.begin(), expected.end());
  for (int* p : {din, dout, dcount}) CHECK(cudaFree(p));
  return verdict(out == expected);
}
