// A matrix product by tiles: two barriers a step, one before the tiles are read, one behind.
#include "../check.h"

constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int start = 0; start < k; start += kTile) {
    as[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    bs[y][x] = column < n && start + y < k ? b[(start + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 20, n = 37, k = 45;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = i % 7 - 3;
  for (int i = 0; i < k * n; ++i) b[i] = i % 5 - 2;
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 block(kTile, kTile);
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  matmul<<<grid, block>>>(da, db, dc, m, n, k);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < m; ++y) {
    for (int x = 0; x < n; ++x) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
      right &= c[y * n + x] == sum;
    }
  }
  for (float* p : {da, db, dc}) CHECK(cudaFree(p));
  return verdict(right);
}
