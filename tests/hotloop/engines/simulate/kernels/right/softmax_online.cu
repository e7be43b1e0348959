// Softmax with one block a row: maximum and sum in one pass, combined in shared memory.
#include "../check.h"

constexpr int kThreads = 64;

struct Partial {
  float largest, sum;
};

__device__ Partial combine(Partial a, Partial b) {
  const float largest = fmaxf(a.largest, b.largest);
  if (largest == -INFINITY) return {largest, 0};
  return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

__global__ __launch_bounds__(kThreads) void softmax(const float* in, float* out, int columns) {
  __shared__ Partial parts[kThreads];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;
  Partial mine = {-INFINITY, 0};
  for (int i = threadIdx.x; i < columns; i += kThreads) mine = combine(mine, {x[i], 1});
  parts[threadIdx.x] = mine;
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) {
      parts[threadIdx.x] = combine(parts[threadIdx.x], parts[threadIdx.x + stride]);
    }
  }
  __syncthreads();
  const Partial all = parts[0];
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    y[i] = __expf(x[i] - all.largest) / all.sum;
  }
}

int main() {
  const int rows = 6, columns = 150, n = rows * columns;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 30.0f * std::cos(0.3f * i);
  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  softmax<<<rows, kThreads>>>(din, dout, columns);
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
