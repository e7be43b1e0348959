// __half and __half2.
#pragma once

#include "hotloop/small_float.h"

#pragma clang force_cuda_host_device begin

HOTLOOP_SMALL_FLOAT(__half, __half2, hotloop::to_half, hotloop::from_half)

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

HOTLOOP_INLINE __half __float2half(float x) { return __half(x); }
HOTLOOP_INLINE __half __float2half_rn(float x) { return __half(x); }
HOTLOOP_INLINE __half __double2half(double x) { return __half(x); }
HOTLOOP_INLINE float __half2float(__half x) { return x; }
#define HOTLOOP_HALF_INTEGER(name, T)                                                        \
  HOTLOOP_INLINE __half __##name##2half_rn(T x) { return __half(x); }                            \
  HOTLOOP_INLINE T __half2##name##_rn(__half x) { return static_cast<T>(nearbyintf(x)); }        \
  HOTLOOP_INLINE T __half2##name##_rz(__half x) { return static_cast<T>(float(x)); }             \
  HOTLOOP_INLINE T __half2##name##_rd(__half x) { return static_cast<T>(floorf(x)); }            \
  HOTLOOP_INLINE T __half2##name##_ru(__half x) { return static_cast<T>(ceilf(x)); }
HOTLOOP_HALF_INTEGER(int, int)
HOTLOOP_HALF_INTEGER(uint, unsigned)
HOTLOOP_HALF_INTEGER(short, short)
HOTLOOP_HALF_INTEGER(ushort, unsigned short)
HOTLOOP_HALF_INTEGER(ll, long long)
HOTLOOP_HALF_INTEGER(ull, unsigned long long)
HOTLOOP_INLINE __half __ushort_as_half(unsigned short bits) { __half h; h.__x = bits; return h; }
HOTLOOP_INLINE __half __short_as_half(short bits) { __half h; h.__x = bits; return h; }
HOTLOOP_INLINE unsigned short __half_as_ushort(__half h) { return h.__x; }
HOTLOOP_INLINE short __half_as_short(__half h) { return static_cast<short>(h.__x); }
HOTLOOP_INLINE __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
HOTLOOP_INLINE __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
HOTLOOP_INLINE __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
HOTLOOP_INLINE float2 __half22float2(__half2 v) { float2 f{v.x, v.y}; return f; }
HOTLOOP_INLINE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
HOTLOOP_INLINE __half2 __half2half2(__half a) { return __half2(a, a); }
HOTLOOP_INLINE __half2 make_half2(__half a, __half b) { return __half2(a, b); }
HOTLOOP_INLINE __half __low2half(__half2 v) { return v.x; }
HOTLOOP_INLINE __half __high2half(__half2 v) { return v.y; }
HOTLOOP_INLINE __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
HOTLOOP_INLINE __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
HOTLOOP_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HOTLOOP_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#pragma clang force_cuda_host_device end
