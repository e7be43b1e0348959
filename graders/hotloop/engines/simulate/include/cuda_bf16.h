// __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "hotloop/small_float.h"

#pragma clang force_cuda_host_device begin

HOTLOOP_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, hotloop::to_bfloat16, hotloop::from_bfloat16)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HOTLOOP_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
HOTLOOP_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
HOTLOOP_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
HOTLOOP_INLINE float __bfloat162float(__nv_bfloat16 x) { return x; }
HOTLOOP_INLINE __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
HOTLOOP_INLINE int __bfloat162int_rn(__nv_bfloat16 x) { return static_cast<int>(nearbyintf(x)); }
HOTLOOP_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 b;
  b.__x = bits;
  return b;
}
HOTLOOP_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.__x; }
HOTLOOP_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
HOTLOOP_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
HOTLOOP_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y));
}
HOTLOOP_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { float2 f{v.x, v.y}; return f; }
HOTLOOP_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HOTLOOP_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HOTLOOP_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HOTLOOP_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
HOTLOOP_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#pragma clang force_cuda_host_device end
