// Layer normalization: one block a row, mean and variance by two reductions over one scratch.
#include "../check.h"

__device__ float block_sum(float v, float* scratch) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(~0u, v, offset);
  __syncthreads();  // whoever still reads the last call's sums
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += scratch[w];
  return sum;
}

__global__ void layer_norm(const float* in, const float* gamma, const float* beta, float* out,
                           int columns) {
  __shared__ float scratch[32];
  const float* x = in + static_cast<size_t>(blockIdx.x) * columns;
  float* y = out + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  const float mean = block_sum(sum, scratch) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(block_sum(squares, scratch) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
  }
}

int main() {
  const int rows = 5, columns = 300, n = rows * columns;
  std::vector<float> in(n), out(n), gamma(columns), beta(columns);
  for (int i = 0; i < n; ++i) in[i] = std::sin(0.1f * i) + i / columns;
  for (int i = 0; i < columns; ++i) {
    gamma[i] = 1 + 0.01f * i;
    beta[i] = 0.5f - 0.02f * i;
  }
  float *din, *dout, *dgamma, *dbeta;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  CHECK(cudaMalloc(&dgamma, columns * sizeof(float)));
  CHECK(cudaMalloc(&dbeta, columns * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dgamma, gamma.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dbeta, beta.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
  layer_norm<<<rows, 128>>>(din, dgamma, dbeta, dout, columns);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int row = 0; row < rows; ++row) {
    const float* x = &in[row * columns];
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i) mean += x[i] / columns;
    for (int i = 0; i < columns; ++i) variance += (x[i] - mean) * (x[i] - mean) / columns;
    for (int i = 0; i < columns; ++i) {
      const double expected = (x[i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
      right &= is_close(out[row * columns + i], expected, 1e-4);
    }
  }
  for (float* p : {din, dout, dgamma, dbeta}) CHECK(cudaFree(p));
  return verdict(right);
}
