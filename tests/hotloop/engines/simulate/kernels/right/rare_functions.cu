// Functions that few kernels use: halves of 64-bit products and doubles, the gamma function's logarithm.
#include "../check.h"

__global__ void some(unsigned long long* u, double* d, float* f) {
  u[0] = __umul64hi(~0ull, 5);
  u[1] = static_cast<unsigned long long>(__mul64hi(-1ll << 62, 12));
  u[2] = __brevll(3);
  d[0] = __hiloint2double(0x40080000, 0);
  d[1] = __double2hiint(3.0) + __double2loint(3.0);
  d[2] = lgamma(5.0);
  d[3] = __double2int_rn(2.5) + __double2int_rz(-2.7);
  f[0] = lgammaf(3.0f);
}

int main() {
  unsigned long long *u, a[3];
  double *d, b[4];
  float *f, c;
  CHECK(cudaMalloc(&u, sizeof a));
  CHECK(cudaMalloc(&d, sizeof b));
  CHECK(cudaMalloc(&f, sizeof c));
  some<<<1, 1>>>(u, d, f);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(a, u, sizeof a, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(b, d, sizeof b, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&c, f, sizeof c, cudaMemcpyDeviceToHost));
  const bool whole = a[0] == 4 && static_cast<long long>(a[1]) == -3 && a[2] == 3ull << 62;
  const bool doubles = b[0] == 3 && b[1] == 0x40080000 && is_close(b[2], std::log(24.0)) && b[3] == 0;
  if (whole && doubles && is_close(c, std::log(2.0))) std::puts("PASS");
}
