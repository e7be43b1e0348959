// CUDA's vector types, with CUDA's sizes and alignments. Those whose size equals their alignment are copied
// with one access, as on a GPU.
#pragma once

#include "hotloop/device.h"

typedef unsigned hotloop_16 __attribute__((vector_size(16), may_alias));
typedef uint64_t hotloop_8 __attribute__((may_alias));
typedef uint32_t hotloop_4 __attribute__((may_alias));
typedef uint16_t hotloop_2 __attribute__((may_alias));

// Loads the whole vector, even if the compiler finds that a part is enough.
template <class T>
inline __host__ __device__ HOTLOOP_MEMBER void hotloop_copy(T* to, const T* from) {
  T value = *from;
  asm("" : "+r"(value));
  *to = value;
}

#define HOTLOOP_COPIES(name, bytes)                                                               \
  name() = default;                                                                               \
  HOTLOOP_MEMBER name(const name& o) { hotloop_copy((hotloop_##bytes*)this, (const hotloop_##bytes*)&o); }  \
  HOTLOOP_MEMBER name& operator=(const name& o) {                                                 \
    hotloop_copy((hotloop_##bytes*)this, (const hotloop_##bytes*)&o);                             \
    return *this;                                                                                 \
  }
#define HOTLOOP_VECTOR2(name, type, bytes)                                                        \
  struct [[clang::trivial_abi]] alignas(bytes) name {                                             \
    type x, y;                                                                                    \
    HOTLOOP_COPIES(name, bytes)                                                                   \
    HOTLOOP_MEMBER constexpr name(type a, type b = 0) : x(a), y(b) {}                             \
  };                                                                                              \
  HOTLOOP_INLINE name make_##name(type x, type y) { return name(x, y); }
#define HOTLOOP_VECTOR3(name, type)                                                               \
  struct name { type x, y, z; };                                                                  \
  HOTLOOP_INLINE name make_##name(type x, type y, type z) { return name{x, y, z}; }
#define HOTLOOP_VECTOR4(name, type, bytes)                                                        \
  struct [[clang::trivial_abi]] alignas(bytes) name {                                             \
    type x, y, z, w;                                                                              \
    HOTLOOP_COPIES(name, bytes)                                                                   \
    HOTLOOP_MEMBER constexpr name(type a, type b = 0, type c = 0, type d = 0)                     \
        : x(a), y(b), z(c), w(d) {}                                                               \
  };                                                                                              \
  HOTLOOP_INLINE name make_##name(type x, type y, type z, type w) { return name(x, y, z, w); }
#define HOTLOOP_VECTOR4_LARGE(name, type)                                                         \
  struct alignas(16) name { type x, y, z, w; };                                                   \
  HOTLOOP_INLINE name make_##name(type x, type y, type z, type w) { return name{x, y, z, w}; }
#define HOTLOOP_VECTORS(name, type, two, four)                                                    \
  struct name##1 { type x; };                                                                     \
  HOTLOOP_INLINE name##1 make_##name##1(type x) { return name##1{x}; }                            \
  HOTLOOP_VECTOR2(name##2, type, two)                                                             \
  HOTLOOP_VECTOR3(name##3, type)                                                                  \
  HOTLOOP_VECTOR4(name##4, type, four)
#define HOTLOOP_WIDE_VECTORS(name, type)                                                          \
  struct name##1 { type x; };                                                                     \
  HOTLOOP_INLINE name##1 make_##name##1(type x) { return name##1{x}; }                            \
  HOTLOOP_VECTOR2(name##2, type, 16)                                                              \
  HOTLOOP_VECTOR3(name##3, type)                                                                  \
  HOTLOOP_VECTOR4_LARGE(name##4, type)

HOTLOOP_VECTORS(char, signed char, 2, 4)
HOTLOOP_VECTORS(uchar, unsigned char, 2, 4)
HOTLOOP_VECTORS(short, short, 4, 8)
HOTLOOP_VECTORS(ushort, unsigned short, 4, 8)
HOTLOOP_VECTORS(int, int, 8, 16)
HOTLOOP_VECTORS(uint, unsigned, 8, 16)
HOTLOOP_VECTORS(float, float, 8, 16)
HOTLOOP_WIDE_VECTORS(longlong, long long)
HOTLOOP_WIDE_VECTORS(ulonglong, unsigned long long)
HOTLOOP_WIDE_VECTORS(double, double)

// Extents of a grid or a block; an extent that is not given is 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
