// Who frees memory has a function of CUDA for it by its name: smart pointers, a table, a wrapper.
#include <memory>

#include "../check.h"

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

template <class T>
struct Free {
  void operator()(T* memory) const { ::cudaFree(memory); }
};

int main() {
  int *device, *other, *last, host[32] = {};
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMallocHost(&other, sizeof host));
  CHECK(cudaMalloc(&last, sizeof host));
  const std::unique_ptr<int, decltype(&cudaFree)> owner(device, cudaFree);
  const std::shared_ptr<int> shared(other, cudaFreeHost);
  const std::unique_ptr<int, Free<int>> third(last);
  cudaError_t (*const table[])(void*) = {cudaFree, &cudaFreeHost};
  fill<<<1, 32>>>(owner.get());
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(host, owner.get(), sizeof host, cudaMemcpyDeviceToHost));
  CHECK(table[0](nullptr));
  return verdict(host[31] == 31);
}
