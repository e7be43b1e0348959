// Conversions with a rounding mode, the halves of a double, and the upper half of a product.
#include "../check.h"

__global__ void convert(float f, double d, unsigned long long big, long long* out) {
  out[0] = __double2int_rn(d);
  out[1] = __double2ll_rd(-d);
  out[2] = __float2uint_ru(f);
  out[3] = __float2ll_rz(-f);
  out[4] = __double2hiint(d);
  out[5] = __hiloint2double(__double2hiint(d), __double2loint(d)) == d;
  out[6] = __ull2double_rn(big) == 1.5 * (1ull << 63);
  out[7] = __umul64hi(big, big + 1);
  out[8] = __mul64hi(-3, 5);
  out[9] = __usad(3u, 10u, 1u);
  out[10] = __drcp_rn(__dsub_rn(6.0, 2.0)) + sinpi(0.5) == 1.25;
}

int main() {
  const unsigned long long big = 3ull << 62;
  const long long expected[] = {2, -3, 2, -1, 0x40040000, 1, 1, 9ll << 60, -1, 8, 1};
  const int n = sizeof expected / sizeof *expected;
  long long *device, out[n];
  CHECK(cudaMalloc(&device, sizeof out));
  convert<<<1, 1>>>(1.25f, 2.5, big, device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (int i = 0; i < n; ++i) right &= out[i] == expected[i];
  return verdict(right);
}
