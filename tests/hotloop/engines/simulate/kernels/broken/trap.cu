// expect: trap 7
// A kernel that stops itself when its input is not as it should be.
#include "../check.h"

__global__ void root(float* x) {
  if (x[threadIdx.x] < 0) {
    __trap();
  }
  x[threadIdx.x] = sqrtf(x[threadIdx.x]);
}

int main() {
  const std::vector<float> x = {4, 9, -1, 16};
  float* dx;
  CHECK(cudaMalloc(&dx, 4 * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), 4 * sizeof(float), cudaMemcpyHostToDevice));
  root<<<1, 4>>>(dx);
  const bool stopped = cudaDeviceSynchronize() == cudaErrorLaunchFailure;
  return stopped ? 0 : 1;
}
