// The common part of __half and __nv_bfloat16: each is 16 bits wide, and arithmetic is done in
// float and rounded once, which gives the same bits as a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda_runtime.h"

#pragma clang force_cuda_host_device begin

namespace hotloop {

// Rounds to nearest, ties to even. NaN stays NaN.
inline uint16_t to_half(float x) {
  const uint32_t bits = __float_as_uint(x);
  const uint16_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520 and more round to infinity
  if (magnitude < 0x38800000) {                       // subnormal halves are multiples of 2^-24
    const float scaled = __uint_as_float(magnitude) * 16777216.0f;
    return sign | static_cast<uint16_t>(nearbyintf(scaled));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000) >> 13);
}

inline float from_half(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * (1.0f / 16777216.0f);
    return __uint_as_float(sign | __float_as_uint(magnitude));
  }
  if (exponent == 31) return __uint_as_float(sign | 0x7f800000 | mantissa << 13);
  return __uint_as_float(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline uint16_t to_bfloat16(float x) {
  const uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float from_bfloat16(uint16_t bits) { return __uint_as_float(static_cast<uint32_t>(bits) << 16); }

}  // namespace hotloop

// Defines the type T, its pair T2, and all operations that have the same name for both formats.
#define HOTLOOP_SMALL_FLOAT(T, T2, ENCODE, DECODE)                                                \
  struct alignas(2) T {                                                                           \
    uint16_t __x;                                                                                 \
    T() = default;                                                                                \
    T(float x) : __x(ENCODE(x)) {}                                                                \
    T(double x) : __x(ENCODE(static_cast<float>(x))) {}                                           \
    T(int x) : __x(ENCODE(static_cast<float>(x))) {}                                              \
    T(unsigned x) : __x(ENCODE(static_cast<float>(x))) {}                                         \
    T(long long x) : __x(ENCODE(static_cast<float>(x))) {}                                        \
    T(unsigned long long x) : __x(ENCODE(static_cast<float>(x))) {}                               \
    operator float() const { return DECODE(__x); }                                                \
  };                                                                                              \
  struct [[clang::trivial_abi]] alignas(4) T2 {                                                   \
    T x, y;                                                                                       \
    HOTLOOP_COPIES(T2, 4)                                                                         \
    T2(T a, T b) : x(a), y(b) {}                                                                  \
  };                                                                                              \
  HOTLOOP_INLINE T operator+(T a, T b) { return T(float(a) + float(b)); }                         \
  HOTLOOP_INLINE T operator-(T a, T b) { return T(float(a) - float(b)); }                         \
  HOTLOOP_INLINE T operator*(T a, T b) { return T(float(a) * float(b)); }                         \
  HOTLOOP_INLINE T operator/(T a, T b) { return T(float(a) / float(b)); }                         \
  HOTLOOP_INLINE T operator-(T a) { a.__x ^= 0x8000; return a; }                                  \
  HOTLOOP_INLINE T& operator+=(T& a, T b) { return a = a + b; }                                   \
  HOTLOOP_INLINE T& operator-=(T& a, T b) { return a = a - b; }                                   \
  HOTLOOP_INLINE T& operator*=(T& a, T b) { return a = a * b; }                                   \
  HOTLOOP_INLINE T& operator/=(T& a, T b) { return a = a / b; }                                   \
  HOTLOOP_INLINE bool operator==(T a, T b) { return float(a) == float(b); }                       \
  HOTLOOP_INLINE bool operator!=(T a, T b) { return float(a) != float(b); }                       \
  HOTLOOP_INLINE bool operator<(T a, T b) { return float(a) < float(b); }                         \
  HOTLOOP_INLINE bool operator>(T a, T b) { return float(a) > float(b); }                         \
  HOTLOOP_INLINE bool operator<=(T a, T b) { return float(a) <= float(b); }                       \
  HOTLOOP_INLINE bool operator>=(T a, T b) { return float(a) >= float(b); }                       \
  HOTLOOP_INLINE T __hadd(T a, T b) { return a + b; }                                             \
  HOTLOOP_INLINE T __hsub(T a, T b) { return a - b; }                                             \
  HOTLOOP_INLINE T __hmul(T a, T b) { return a * b; }                                             \
  HOTLOOP_INLINE T __hdiv(T a, T b) { return a / b; }                                             \
  HOTLOOP_INLINE T __hneg(T a) { return -a; }                                                     \
  HOTLOOP_INLINE T __habs(T a) { a.__x &= 0x7fff; return a; }                                     \
  HOTLOOP_INLINE T __hfma(T a, T b, T c) {                                                        \
    return T(static_cast<float>(double(float(a)) * float(b) + double(float(c))));                 \
  }                                                                                               \
  HOTLOOP_INLINE T __hmax(T a, T b) { return T(fmaxf(a, b)); }                                    \
  HOTLOOP_INLINE T __hmin(T a, T b) { return T(fminf(a, b)); }                                    \
  HOTLOOP_INLINE T max(T a, T b) { return __hmax(a, b); }                                         \
  HOTLOOP_INLINE T min(T a, T b) { return __hmin(a, b); }                                         \
  HOTLOOP_INLINE bool __heq(T a, T b) { return a == b; }                                          \
  HOTLOOP_INLINE bool __hne(T a, T b) { return a != b; }                                          \
  HOTLOOP_INLINE bool __hlt(T a, T b) { return a < b; }                                           \
  HOTLOOP_INLINE bool __hle(T a, T b) { return a <= b; }                                          \
  HOTLOOP_INLINE bool __hgt(T a, T b) { return a > b; }                                           \
  HOTLOOP_INLINE bool __hge(T a, T b) { return a >= b; }                                          \
  HOTLOOP_INLINE bool __hisnan(T a) { return std::isnan(float(a)); }                              \
  HOTLOOP_INLINE int __hisinf(T a) {                                                              \
    return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;                                    \
  }                                                                                               \
  HOTLOOP_INLINE T hexp(T a) { return T(expf(a)); }                                               \
  HOTLOOP_INLINE T hexp2(T a) { return T(exp2f(a)); }                                             \
  HOTLOOP_INLINE T hlog(T a) { return T(logf(a)); }                                               \
  HOTLOOP_INLINE T hlog2(T a) { return T(log2f(a)); }                                             \
  HOTLOOP_INLINE T hsqrt(T a) { return T(sqrtf(a)); }                                             \
  HOTLOOP_INLINE T hrsqrt(T a) { return T(1.0f / sqrtf(a)); }                                     \
  HOTLOOP_INLINE T hrcp(T a) { return T(1.0f / float(a)); }                                       \
  HOTLOOP_INLINE T2 operator+(T2 a, T2 b) { return T2(a.x + b.x, a.y + b.y); }                    \
  HOTLOOP_INLINE T2 operator-(T2 a, T2 b) { return T2(a.x - b.x, a.y - b.y); }                    \
  HOTLOOP_INLINE T2 operator*(T2 a, T2 b) { return T2(a.x * b.x, a.y * b.y); }                    \
  HOTLOOP_INLINE T2 operator/(T2 a, T2 b) { return T2(a.x / b.x, a.y / b.y); }                    \
  HOTLOOP_INLINE T2 operator-(T2 a) { return T2(-a.x, -a.y); }                                    \
  HOTLOOP_INLINE T2& operator+=(T2& a, T2 b) { return a = a + b; }                                \
  HOTLOOP_INLINE T2& operator*=(T2& a, T2 b) { return a = a * b; }                                \
  HOTLOOP_INLINE bool operator==(T2 a, T2 b) { return a.x == b.x && a.y == b.y; }                 \
  HOTLOOP_INLINE T2 __hadd2(T2 a, T2 b) { return a + b; }                                         \
  HOTLOOP_INLINE T2 __hsub2(T2 a, T2 b) { return a - b; }                                         \
  HOTLOOP_INLINE T2 __hmul2(T2 a, T2 b) { return a * b; }                                         \
  HOTLOOP_INLINE T2 __h2div(T2 a, T2 b) { return a / b; }                                         \
  HOTLOOP_INLINE T2 __hneg2(T2 a) { return -a; }                                                  \
  HOTLOOP_INLINE T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                        \
  HOTLOOP_INLINE T2 __hfma2(T2 a, T2 b, T2 c) {                                                   \
    return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                                      \
  }                                                                                               \
  HOTLOOP_INLINE T2 __hmax2(T2 a, T2 b) { return T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }        \
  HOTLOOP_INLINE T2 __hmin2(T2 a, T2 b) { return T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }        \
  HOTLOOP_INLINE T2 h2exp(T2 a) { return T2(hexp(a.x), hexp(a.y)); }                              \
  HOTLOOP_INLINE T2 h2exp2(T2 a) { return T2(hexp2(a.x), hexp2(a.y)); }                           \
  HOTLOOP_INLINE T2 h2log(T2 a) { return T2(hlog(a.x), hlog(a.y)); }                              \
  HOTLOOP_INLINE T2 h2sqrt(T2 a) { return T2(hsqrt(a.x), hsqrt(a.y)); }                           \
  HOTLOOP_INLINE T2 h2rsqrt(T2 a) { return T2(hrsqrt(a.x), hrsqrt(a.y)); }                        \
  HOTLOOP_INLINE T2 h2rcp(T2 a) { return T2(hrcp(a.x), hrcp(a.y)); }                              \
  HOTLOOP_INLINE T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }                              \
  HOTLOOP_INLINE float __low2float(T2 a) { return a.x; }                                          \
  HOTLOOP_INLINE float __high2float(T2 a) { return a.y; }

#pragma clang force_cuda_host_device end
