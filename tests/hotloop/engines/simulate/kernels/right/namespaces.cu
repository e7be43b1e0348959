// Kernels in namespaces, with names that are short and long, and with the same name twice.
#include "../check.h"

namespace {

__global__ void fill(float* x) { x[threadIdx.x] = 1; }

template <int kFactor>
__global__ void multiply_everything(float* x) {
  x[threadIdx.x] *= kFactor;
}

}  // namespace

namespace v2 {
namespace inner {

__global__ void fill(float* x, float value) { x[threadIdx.x] += value; }

}  // namespace inner
}  // namespace v2

int main() {
  float* x;
  float first = 0;
  CHECK(cudaMalloc(&x, 32 * sizeof(float)));
  fill<<<1, 32>>>(x);
  multiply_everything<3><<<1, 32>>>(x);
  v2::inner::fill<<<1, 32>>>(x, 0.5f);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(x));
  return verdict(first == 3.5f);
}
