// 64 KB of dynamic shared memory, which a kernel gets only when it is asked for: of a plain kernel,
// and of a template whose argument the launch leaves to be deduced.
#include "../check.h"

constexpr int kFloats = 16384;

__global__ void reverse(float* x) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < kFloats; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < kFloats; i += blockDim.x) x[i] = s[kFloats - 1 - i];
}

template <typename T>
__global__ void reverse_any(T* x, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = s[n - 1 - i];
}

int main() {
  const int bytes = kFloats * sizeof(float);
  std::vector<float> in(kFloats), once(kFloats), twice(kFloats);
  for (int i = 0; i < kFloats; ++i) in[i] = i;
  float* dx;
  CHECK(cudaMalloc(&dx, bytes));
  CHECK(cudaMemcpy(dx, in.data(), bytes, cudaMemcpyHostToDevice));
  const auto size = cudaFuncAttributeMaxDynamicSharedMemorySize;
  CHECK(cudaFuncSetAttribute(reverse, size, bytes));
  CHECK(cudaFuncSetAttribute(reverse_any<float>, size, bytes));
  reverse<<<1, 256, bytes>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(once.data(), dx, bytes, cudaMemcpyDeviceToHost));
  reverse_any<<<1, 256, bytes>>>(dx, kFloats);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(twice.data(), dx, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  return verdict(once[0] == kFloats - 1 && once[kFloats - 1] == 0 && twice == in);
}
