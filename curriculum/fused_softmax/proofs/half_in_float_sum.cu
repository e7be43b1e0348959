// The sum of a row of half-precision numbers, with the running sum in half and in float.
//
//     hotloop cuda run --check curriculum/fused_softmax/proofs/half_in_float_sum.cu

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kColumns = 1 << 18;
constexpr unsigned kFullWarp = 0xffffffff;

__global__ void half_sum(const __half* x, float* out) {
  const auto* pairs = reinterpret_cast<const __half2*>(x);
  __half2 total = __floats2half2_rn(0.0f, 0.0f);
  for (int i = threadIdx.x; i < kColumns / 2; i += 32) total = __hadd2(total, pairs[i]);
  float sum = __half2float(__low2half(total)) + __half2float(__high2half(total));
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kFullWarp, sum, offset);
  if (threadIdx.x == 0) *out = sum;
}

// --8<-- [start:float_sum]
// Two numbers a load of 4 bytes, converted in registers: the same bytes move.
__global__ void float_sum(const __half* x, float* out) {
  const auto* pairs = reinterpret_cast<const __half2*>(x);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < kColumns / 2; i += 32) {
    const float2 pair = __half22float2(pairs[i]);
    sum += pair.x + pair.y;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kFullWarp, sum, offset);
  if (threadIdx.x == 0) *out = sum;
}
// --8<-- [end:float_sum]

int main() {
  std::vector<__half> host(kColumns, __float2half(1.0f));
  __half* x;
  float *out, sums[2];
  cudaMalloc(&x, host.size() * sizeof(__half));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(__half), cudaMemcpyHostToDevice);
  half_sum<<<1, 32>>>(x, out);
  cudaMemcpy(&sums[0], out, sizeof(float), cudaMemcpyDeviceToHost);
  float_sum<<<1, 32>>>(x, out);
  cudaMemcpy(&sums[1], out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%.0f %.0f\n", sums[0], sums[1]);
  cudaFree(x);
  cudaFree(out);
  return 0;
}
