// The kernel of a question, with and without its bug.
#include <cstdio>

#include "hotloop/tensor_cores.cuh"

__global__ void turn(const unsigned short* x, unsigned* y) {
  __shared__ alignas(16) unsigned short tile[8][8];
  const int lane = threadIdx.x;
  reinterpret_cast<unsigned*>(tile)[lane] = reinterpret_cast<const unsigned*>(x)[lane];
  __syncwarp();
  unsigned r[1];
  hotloop::ldmatrix_x1(r, tile[lane % 8]);
  y[lane] = r[0];
}

__global__ void turn_right(const unsigned short* x, unsigned* y) {
  __shared__ alignas(16) unsigned short tile[8][8];
  const int lane = threadIdx.x;
  reinterpret_cast<unsigned*>(tile)[lane] = reinterpret_cast<const unsigned*>(x)[lane];
  __syncwarp();
  unsigned r[1];
  hotloop::ldmatrix_x1_trans(r, tile[lane % 8]);
  y[lane] = r[0];
}

bool is_transposed(const unsigned short* x, const unsigned short* y) {
  for (int i = 0; i < 64; ++i) {
    if (y[i] != x[i % 8 * 8 + i / 8]) return false;
  }
  return true;
}

int main() {
  unsigned short* x;
  unsigned* y;
  cudaMallocManaged(&x, 64 * sizeof(*x));
  cudaMallocManaged(&y, 32 * sizeof(*y));
  for (int symmetric = 1; symmetric >= 0; --symmetric) {
    for (int i = 0; i < 64; ++i) x[i] = symmetric ? i / 8 + i % 8 : i;
    for (int right = 0; right < 2; ++right) {
      if (right) turn_right<<<1, 32>>>(x, y); else turn<<<1, 32>>>(x, y);
      cudaDeviceSynchronize();
      const bool passed = is_transposed(x, reinterpret_cast<unsigned short*>(y));
      printf("%s, %s: %s\n", symmetric ? "symmetric" : "numbered", right ? "trans" : "no trans", passed ? "equal" : "different");
    }
  }
  return 0;
}
