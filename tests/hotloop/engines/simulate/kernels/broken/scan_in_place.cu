// expect: race 11
// Hillis and Steele in one buffer: a thread adds what its neighbor is overwriting.
#include "../check.h"

__global__ void scan(int* x) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  for (int reach = 1; reach < 128; reach *= 2) {
    __syncthreads();
    if (t >= reach) s[t] += s[t - reach];
  }
  x[t] = s[t];
}

int main() {
  std::vector<int> x(128, 1);
  int* dx;
  CHECK(cudaMalloc(&dx, 128 * sizeof(int)));
  CHECK(cudaMemcpy(dx, x.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
  scan<<<1, 128>>>(dx);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x.data(), dx, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  return 0;
}
