// __constant__ and __device__ variables, of every form in which they are declared.
#include "../check.h"

__constant__ float weights[4];
__constant__ int2 limits = {2, 60};
__device__ int first, second[3];
__device__ float scale = 0.5f, offset = 1.0f;
static __device__ unsigned calls;
__device__ __align__(16) float aligned_buffer[8];
__managed__ int both = 3;
extern const int of_both;  // each side has its own
const int of_both = 60;

namespace tables {
__device__ const int squares[5] = {0, 1, 4, 9, 16};
__constant__ struct {
  int a;
  float b;
} settings = {5, 0.25f};
}  // namespace tables

__global__ void use(float* out) {
  const int t = threadIdx.x;
  out[t] = weights[t % 4] * scale + offset + tables::squares[t % 5] + tables::settings.b;
  if (t >= limits.x && t < limits.y && t < of_both) atomicAdd(&calls, 1u);
  if (t == 0) {
    first = both + tables::settings.a;
    second[2] = 7;
    *reinterpret_cast<float4*>(aligned_buffer + 4) = make_float4(1, 2, 3, 4);
    both = 11;
  }
}

int main() {
  const int n = 64;
  const float given[4] = {1, 2, 3, 4};
  std::vector<float> out(n);
  float* dout;
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(weights, given, sizeof given));
  use<<<1, n>>>(dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  int got_first = 0, got_second = 0;
  unsigned got_calls = 0;
  float got[4] = {}, *address = nullptr;
  CHECK(cudaMemcpyFromSymbol(&got_first, first, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&got_second, second, sizeof(int), 2 * sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&got_calls, calls, sizeof got_calls));
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), aligned_buffer));
  CHECK(cudaMemcpy(got, address + 4, sizeof got, cudaMemcpyDeviceToHost));
  bool right = got_first == 8 && got_second == 7 && got_calls == 58 && got[3] == 4;
  right &= both == 11;
  const volatile int* of_host = &of_both;
  right &= *of_host == 60;
  for (int i = 0; i < n; ++i) {
    right &= out[i] == given[i % 4] * 0.5f + 1 + (i % 5) * (i % 5) + 0.25f;
  }
  CHECK(cudaFree(dout));
  return verdict(right);
}
