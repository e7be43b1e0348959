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

// A function of both numbers of a pair, and a comparison of both: 1 or 0 for each, or whether all hold.
#define HOTLOOP_OF_PAIR(T2, name) \
  HOTLOOP_INLINE T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }
#define HOTLOOP_COMPARED_PAIRS(T2, name)                                                          \
  HOTLOOP_INLINE T2 __h##name##2(T2 a, T2 b) {                                                    \
    return T2(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f);              \
  }                                                                                               \
  HOTLOOP_INLINE bool __hb##name##2(T2 a, T2 b) {                                                 \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }

// Defines the type T, its pair T2, and all operations that have the same name for both formats.
#define HOTLOOP_SMALL_FLOAT(T, T2, ENCODE, DECODE)                                                \
  struct T##_raw { unsigned short x; };                                                           \
  struct T2##_raw { unsigned short x, y; };                                                       \
  struct alignas(2) T {                                                                           \
    uint16_t __x;                                                                                 \
    T() = default;                                                                                \
    T(float x) : __x(ENCODE(x)) {}                                                                \
    T(double x) : __x(ENCODE(static_cast<float>(x))) {}                                           \
    T(int x) : __x(ENCODE(static_cast<float>(x))) {}                                              \
    T(unsigned x) : __x(ENCODE(static_cast<float>(x))) {}                                         \
    T(long x) : __x(ENCODE(static_cast<float>(x))) {}                                             \
    T(unsigned long x) : __x(ENCODE(static_cast<float>(x))) {}                                    \
    T(long long x) : __x(ENCODE(static_cast<float>(x))) {}                                        \
    T(unsigned long long x) : __x(ENCODE(static_cast<float>(x))) {}                               \
    T(T##_raw raw) : __x(raw.x) {}                                                                \
    operator float() const { return DECODE(__x); }                                                \
    operator T##_raw() const { return {__x}; }                                                    \
  };                                                                                              \
  struct [[clang::trivial_abi]] alignas(4) T2 {                                                   \
    T x, y;                                                                                       \
    HOTLOOP_COPIES(T2, 4)                                                                         \
    T2(T a, T b) : x(a), y(b) {}                                                                  \
    T2(T2##_raw raw) : x(T##_raw{raw.x}), y(T##_raw{raw.y}) {}                                    \
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
  HOTLOOP_INLINE T& operator++(T& a) { return a += T(1.0f); }                                     \
  HOTLOOP_INLINE T& operator--(T& a) { return a -= T(1.0f); }                                     \
  HOTLOOP_INLINE T operator++(T& a, int) { const T was = a; ++a; return was; }                    \
  HOTLOOP_INLINE T operator--(T& a, int) { const T was = a; --a; return was; }                    \
  HOTLOOP_INLINE T hsin(T a) { return T(sinf(a)); }                                               \
  HOTLOOP_INLINE T hcos(T a) { return T(cosf(a)); }                                               \
  HOTLOOP_INLINE T htanh(T a) { return T(tanhf(a)); }                                             \
  HOTLOOP_INLINE T hfloor(T a) { return T(floorf(a)); }                                           \
  HOTLOOP_INLINE T hceil(T a) { return T(ceilf(a)); }                                             \
  HOTLOOP_INLINE T hrint(T a) { return T(nearbyintf(a)); }                                        \
  HOTLOOP_INLINE T htrunc(T a) { return T(truncf(a)); }                                           \
  HOTLOOP_INLINE T hexp10(T a) { return T(exp10f(a)); }                                           \
  HOTLOOP_INLINE T hlog10(T a) { return T(log10f(a)); }                                           \
  HOTLOOP_INLINE T hotloop_clamped(T a) { return T(fminf(fmaxf(a, 0.0f), 1.0f)); }                \
  HOTLOOP_INLINE T __hadd_rn(T a, T b) { return a + b; }                                          \
  HOTLOOP_INLINE T __hadd_sat(T a, T b) { return hotloop_clamped(a + b); }                        \
  HOTLOOP_INLINE T __hsub_rn(T a, T b) { return a - b; }                                          \
  HOTLOOP_INLINE T __hsub_sat(T a, T b) { return hotloop_clamped(a - b); }                        \
  HOTLOOP_INLINE T __hmul_rn(T a, T b) { return a * b; }                                          \
  HOTLOOP_INLINE T __hmul_sat(T a, T b) { return hotloop_clamped(a * b); }                        \
  HOTLOOP_INLINE T __hfma_sat(T a, T b, T c) { return hotloop_clamped(__hfma(a, b, c)); }         \
  HOTLOOP_INLINE T __hfma_relu(T a, T b, T c) { return __hmax(__hfma(a, b, c), T(0.0f)); }        \
  HOTLOOP_INLINE T __hmax_nan(T a, T b) {                                                         \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);                                      \
  }                                                                                               \
  HOTLOOP_INLINE T __hmin_nan(T a, T b) {                                                         \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);                                      \
  }                                                                                               \
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
  HOTLOOP_OF_PAIR(T2, exp)                                                                        \
  HOTLOOP_OF_PAIR(T2, exp2)                                                                       \
  HOTLOOP_OF_PAIR(T2, log)                                                                        \
  HOTLOOP_OF_PAIR(T2, sqrt)                                                                       \
  HOTLOOP_OF_PAIR(T2, rsqrt)                                                                      \
  HOTLOOP_OF_PAIR(T2, rcp)                                                                        \
  HOTLOOP_INLINE T2& operator-=(T2& a, T2 b) { return a = a - b; }                                \
  HOTLOOP_INLINE T2& operator/=(T2& a, T2 b) { return a = a / b; }                                \
  HOTLOOP_INLINE bool operator!=(T2 a, T2 b) { return a.x != b.x && a.y != b.y; }                 \
  HOTLOOP_COMPARED_PAIRS(T2, eq)                                                                  \
  HOTLOOP_COMPARED_PAIRS(T2, ne)                                                                  \
  HOTLOOP_COMPARED_PAIRS(T2, lt)                                                                  \
  HOTLOOP_COMPARED_PAIRS(T2, le)                                                                  \
  HOTLOOP_COMPARED_PAIRS(T2, gt)                                                                  \
  HOTLOOP_COMPARED_PAIRS(T2, ge)                                                                  \
  HOTLOOP_OF_PAIR(T2, sin)                                                                        \
  HOTLOOP_OF_PAIR(T2, cos)                                                                        \
  HOTLOOP_OF_PAIR(T2, tanh)                                                                       \
  HOTLOOP_OF_PAIR(T2, floor)                                                                      \
  HOTLOOP_OF_PAIR(T2, ceil)                                                                       \
  HOTLOOP_OF_PAIR(T2, rint)                                                                       \
  HOTLOOP_OF_PAIR(T2, trunc)                                                                      \
  HOTLOOP_OF_PAIR(T2, exp10)                                                                      \
  HOTLOOP_OF_PAIR(T2, log10)                                                                      \
  HOTLOOP_OF_PAIR(T2, log2)                                                                       \
  HOTLOOP_INLINE T2 __hmax2_nan(T2 a, T2 b) {                                                     \
    return T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));                                        \
  }                                                                                               \
  HOTLOOP_INLINE T2 __hmin2_nan(T2 a, T2 b) {                                                     \
    return T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));                                        \
  }                                                                                               \
  HOTLOOP_INLINE T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }                              \
  HOTLOOP_INLINE float __low2float(T2 a) { return a.x; }                                          \
  HOTLOOP_INLINE float __high2float(T2 a) { return a.y; }

#pragma clang force_cuda_host_device end
