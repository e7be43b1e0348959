// Vector addition with a grid-stride loop: any grid covers any length.
#include "../check.h"

__global__ void add(const float* a, const float* b, float* sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum[i] = a[i] + b[i];
  }
}

int main() {
  const int n = 10007;
  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i) {
    a[i] = 0.5f * i;
    b[i] = 3.0f - i;
  }
  const size_t bytes = n * sizeof(float);
  float *da, *db, *dsum;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dsum, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<8, 128>>>(da, db, dsum, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(sum.data(), dsum, bytes, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) right &= sum[i] == a[i] + b[i];
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dsum));
  return verdict(right);
}
