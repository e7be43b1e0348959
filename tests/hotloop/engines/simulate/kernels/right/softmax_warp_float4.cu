// Softmax with one warp a row: 16 bytes a load, the recurrence in registers, shuffles across lanes.
#include "../check.h"

constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ void accumulate(float& largest, float& sum, float x) {
  const float now = fmaxf(largest, x);
  sum = sum * __expf(largest - now) + __expf(x - now);
  largest = now;
}

template <int kWarps>
__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows,
                        int columns) {
  const int lane = threadIdx.x, row = blockIdx.x * kWarps + threadIdx.y;
  if (row >= rows) return;
  const float4* x = reinterpret_cast<const float4*>(in + row * columns);
  float4* y = reinterpret_cast<float4*>(out + row * columns);
  float largest = -1e30f, sum = 0;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 v = x[i];
    accumulate(largest, sum, v.x);
    accumulate(largest, sum, v.y);
    accumulate(largest, sum, v.z);
    accumulate(largest, sum, v.w);
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(kAll, largest, offset);
    const float other_sum = __shfl_xor_sync(kAll, sum, offset);
    const float now = fmaxf(largest, other);
    sum = sum * __expf(largest - now) + other_sum * __expf(other - now);
    largest = now;
  }
  const float scale = __fdividef(1.0f, sum);
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 v = x[i];
    y[i] = make_float4(__expf(v.x - largest) * scale, __expf(v.y - largest) * scale,
                       __expf(v.z - largest) * scale, __expf(v.w - largest) * scale);
  }
}

int main() {
  const int rows = 10, columns = 200, n = rows * columns;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 10.0f * std::cos(0.11f * i);
  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  softmax<4><<<(rows + 3) / 4, dim3(32, 4)>>>(din, dout, rows, columns);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(in[row * columns + i]);
    for (int i = row * columns; i < (row + 1) * columns; ++i) {
      right &= is_close(out[i], std::exp(static_cast<double>(in[i])) / sum);
    }
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
