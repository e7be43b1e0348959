// Counting keys with one atomic for all lanes of a warp that hold the same key.
#include "../check.h"

__global__ void count_keys(const int* keys, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned active = __ballot_sync(~0u, i < n);
  if (i >= n) return;
  const unsigned peers = __match_any_sync(active, keys[i]);
  const int leader = __ffs(peers) - 1;
  if ((threadIdx.x & 31) == leader) atomicAdd(&counts[keys[i]], __popc(peers));
}

int main() {
  const int n = 333, kinds = 5;
  std::vector<int> keys(n), counts(kinds), expected(kinds);
  for (int i = 0; i < n; ++i) ++expected[keys[i] = i * i % kinds];
  int *dkeys, *dcounts;
  CHECK(cudaMalloc(&dkeys, n * sizeof(int)));
  CHECK(cudaMalloc(&dcounts, kinds * sizeof(int)));
  CHECK(cudaMemcpy(dkeys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dcounts, 0, kinds * sizeof(int)));
  count_keys<<<3, 128>>>(dkeys, dcounts, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(counts.data(), dcounts, kinds * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dkeys));
  CHECK(cudaFree(dcounts));
  return verdict(counts == expected);
}
