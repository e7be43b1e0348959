// make_float4 and its kin.
#pragma once

#include "cudasim/qualifiers.h"
#include "vector_types.h"

#define CUDASIM_MAKE2(name, type) \
  CUDASIM_INLINE name make_##name(type x, type y) { name v{x, y}; return v; }
#define CUDASIM_MAKE3(name, type) \
  CUDASIM_INLINE name make_##name(type x, type y, type z) { name v{x, y, z}; return v; }
#define CUDASIM_MAKE4(name, type) \
  CUDASIM_INLINE name make_##name(type x, type y, type z, type w) { name v{x, y, z, w}; return v; }
#define CUDASIM_MAKE(base, type) \
  CUDASIM_MAKE2(base##2, type) CUDASIM_MAKE3(base##3, type) CUDASIM_MAKE4(base##4, type)

CUDASIM_MAKE(char, signed char)
CUDASIM_MAKE(uchar, unsigned char)
CUDASIM_MAKE(short, short)
CUDASIM_MAKE(ushort, unsigned short)
CUDASIM_MAKE(int, int)
CUDASIM_MAKE(uint, unsigned)
CUDASIM_MAKE(float, float)
CUDASIM_MAKE(double, double)
CUDASIM_MAKE2(longlong2, long long)
CUDASIM_MAKE4(longlong4, long long)
CUDASIM_MAKE2(ulonglong2, unsigned long long)
CUDASIM_MAKE4(ulonglong4, unsigned long long)

#undef CUDASIM_MAKE
#undef CUDASIM_MAKE2
#undef CUDASIM_MAKE3
#undef CUDASIM_MAKE4
