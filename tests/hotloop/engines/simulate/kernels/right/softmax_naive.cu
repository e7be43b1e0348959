// Softmax with one thread a row, in three passes.
#include "../check.h"

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = in + row * columns;
  float* y = out + row * columns;
  float largest = -INFINITY;
  for (int i = 0; i < columns; ++i) largest = fmaxf(largest, x[i]);
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += __expf(x[i] - largest);
  for (int i = 0; i < columns; ++i) y[i] = __expf(x[i] - largest) / sum;
}

int main() {
  const int rows = 50, columns = 33, n = rows * columns;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 20.0f * std::sin(0.7f * i) + 100;
  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  softmax<<<2, 32>>>(din, dout, rows, columns);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(in[row * columns + i] - 100.0);
    for (int i = row * columns; i < (row + 1) * columns; ++i) {
      right &= is_close(out[i], std::exp(in[i] - 100.0) / sum);
    }
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
