// The largest value of each row of bfloat16, read in pairs and reduced in float.
#include <cuda_bf16.h>

#include "../check.h"

__global__ void row_max(const __nv_bfloat162* in, __nv_bfloat16* out, int pairs) {
  const __nv_bfloat162* row = in + blockIdx.x * pairs;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < pairs; i += 32) {
    const float2 v = __bfloat1622float2(row[i]);
    largest = fmaxf(largest, fmaxf(v.x, v.y));
  }
  for (int offset = 16; offset; offset /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  }
  if (threadIdx.x == 0) out[blockIdx.x] = __float2bfloat16(largest);
}

int main() {
  const int rows = 7, columns = 100, n = rows * columns;
  std::vector<__nv_bfloat16> in(n), out(rows);
  for (int i = 0; i < n; ++i) in[i] = __float2bfloat16(std::sin(1.3f * i));
  __nv_bfloat16 *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(__nv_bfloat16)));
  CHECK(cudaMalloc(&dout, rows * sizeof(__nv_bfloat16)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice));
  row_max<<<rows, 32>>>(reinterpret_cast<__nv_bfloat162*>(din), dout, columns / 2);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, rows * sizeof(__nv_bfloat16), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    float largest = -INFINITY;
    for (int i = 0; i < columns; ++i) {
      largest = std::fmax(largest, __bfloat162float(in[row * columns + i]));
    }
    right &= __bfloat162float(out[row]) == largest;
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
