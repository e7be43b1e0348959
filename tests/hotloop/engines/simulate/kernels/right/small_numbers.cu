// Functions of 16-bit floats, and of the bytes of a word.
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../check.h"

template <class T, class T2>
__device__ bool floats() {
  T a(2.0f), b = a++;
  --a;
  T2 p(a, T(3.0f)), q(T(1.5f), T(3.0f));
  p -= q;
  p /= T2(T(0.5f), T(1.0f));
  using Raw = std::conditional_t<std::is_same_v<T, __half>, __half_raw, __nv_bfloat16_raw>;
  const Raw raw = b;
  bool right = float(b) == 2 && float(a) == 2 && float(p.x) == 1 && float(p.y) == 0 && float(T(raw)) == 2 && float(T(7l)) == 7;
  right &= float(hfloor(T(1.5f))) == 1 && float(hrint(T(2.5f))) == 2 && float(htanh(T(0.0f))) == 0 && float(hcos(T(0.0f))) == 1;
  right &= float(__hadd_sat(a, b)) == 1 && float(__hfma_relu(a, b, T(-9.0f))) == 0 && __hisnan(__hmax_nan(T(NAN), a));
  right &= __hbeq2(q, q) && !__hbeq2(p, q) && float(__hgt2(q, p).x) == 1 && float(h2ceil(q).x) == 2;
  return right;
}

__device__ bool bytes() {
  bool right = __dp4a(0x01ff0302, 0x02030104, 10) == 10 + 2 - 3 + 3 + 8 && __dp4a(0xff000000u, 0x02000000u, 1u) == 511;
  right &= __vadd4(0x01ff7f00u, 0x01010101u) == 0x02008001 && __vsubss4(0x80007f00u, 0x0101ff01u) == 0x80ff7fffu;
  right &= __vcmpeq4(0x01020304u, 0x01000300u) == 0xff00ff00u && __vabsdiffu4(0x01050000u, 0x03020000u) == 0x02030000;
  return right && __vmaxs2(0xffff0002u, 0x00010001u) == 0x00010002;
}

__global__ void __maxnreg__(64) all(bool* right) {
  right[0] = floats<__half, __half2>() && floats<__nv_bfloat16, __nv_bfloat162>();
  right[1] = bytes() && __half2short_rz(__short2half_rn(-7)) == -7 && __half2uint_rn(__half(2.5f)) == 2;
  right[2] = norm3df(2, 3, 6) == 7 && rhypotf(3, 4) == 0.2f;
}

int main() {
  bool *right, host[3] = {};
  CHECK(cudaMalloc(&right, sizeof host));
  all<<<1, 1>>>(right);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(host, right, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(right));
  return verdict(host[0] && host[1] && host[2]);
}
