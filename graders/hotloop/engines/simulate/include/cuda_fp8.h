// __nv_fp8_e4m3 and __nv_fp8_e5m2: conversions only, as on a GPU.
#pragma once

#include <cmath>

#include "cuda_runtime.h"

#pragma clang force_cuda_host_device begin

namespace hotloop {

// Rounds to nearest, ties to even; what is too large becomes the largest finite number. NaN stays NaN.
template <unsigned kExponent, unsigned kFraction>
inline unsigned char to_fp8(float x) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  constexpr unsigned kNan = 0x7f, kLargest = kExponent == 4 ? 0x7e : 0x7b;
  const unsigned bits = __float_as_uint(x), sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<unsigned char>(sign | kNan);
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  // In units of the last place: of the exponent's, or of the subnormals'.
  const int least = exponent < 1 - kBias ? 1 - kBias : exponent;
  if (least > 20) return static_cast<unsigned char>(sign | kLargest);
  const float units = __uint_as_float(magnitude) * __uint_as_float(static_cast<unsigned>(127 - least + static_cast<int>(kFraction)) << 23);
  const unsigned code = static_cast<unsigned>(nearbyintf(units)) + (static_cast<unsigned>(least + kBias - 1) << kFraction);
  return static_cast<unsigned char>(sign | (code > kLargest ? kLargest : code));
}

template <unsigned kExponent, unsigned kFraction>
inline float from_fp8(unsigned char bits) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const unsigned exponent = bits >> kFraction & ((1u << kExponent) - 1), fraction = bits & ((1u << kFraction) - 1);
  const unsigned sign = static_cast<unsigned>(bits & 0x80) << 24;
  const bool is_last = exponent == (1u << kExponent) - 1;
  if (is_last && (kExponent == 5 || fraction == 7)) return __uint_as_float(sign | 0x7f800000 | fraction << (23 - kFraction));
  const float size = exponent ? __uint_as_float((exponent - kBias + 127) << 23 | fraction << (23 - kFraction))
                              : static_cast<float>(fraction) * __uint_as_float((128 - kBias - kFraction) << 23);
  return sign ? -size : size;
}

}  // namespace hotloop

typedef unsigned char __nv_fp8_storage_t;
#define HOTLOOP_FP8(T, exponent, fraction)                                            \
  struct T {                                                                          \
    __nv_fp8_storage_t __x;                                                           \
    T() = default;                                                                    \
    explicit T(float x) : __x(hotloop::to_fp8<exponent, fraction>(x)) {}              \
    explicit operator float() const { return hotloop::from_fp8<exponent, fraction>(__x); } \
  };
HOTLOOP_FP8(__nv_fp8_e4m3, 4, 3)
HOTLOOP_FP8(__nv_fp8_e5m2, 5, 2)
#undef HOTLOOP_FP8

#pragma clang force_cuda_host_device end
