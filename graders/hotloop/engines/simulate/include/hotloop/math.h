// Device math that C++ lacks: fast-math intrinsics, bit functions, min and max of mixed types.
// Intrinsics that a GPU computes approximately are exact here.
#pragma once

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define HOTLOOP_MIN_MAX(A, B, T)                                          \
  HOTLOOP_INLINE T min(A a, B b) { const T x = a, y = b; return y < x ? y : x; } \
  HOTLOOP_INLINE T max(A a, B b) { const T x = a, y = b; return x < y ? y : x; }
HOTLOOP_MIN_MAX(int, int, int)
HOTLOOP_MIN_MAX(unsigned, unsigned, unsigned)
HOTLOOP_MIN_MAX(int, unsigned, unsigned)
HOTLOOP_MIN_MAX(unsigned, int, unsigned)
HOTLOOP_MIN_MAX(long, long, long)
HOTLOOP_MIN_MAX(unsigned long, unsigned long, unsigned long)
HOTLOOP_MIN_MAX(long long, long long, long long)
HOTLOOP_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HOTLOOP_INLINE float min(float a, float b) { return fminf(a, b); }
HOTLOOP_INLINE float max(float a, float b) { return fmaxf(a, b); }
HOTLOOP_INLINE double min(double a, double b) { return fmin(a, b); }
HOTLOOP_INLINE double max(double a, double b) { return fmax(a, b); }
HOTLOOP_INLINE double min(float a, double b) { return fmin(a, b); }
HOTLOOP_INLINE double max(float a, double b) { return fmax(a, b); }
HOTLOOP_INLINE double min(double a, float b) { return fmin(a, b); }
HOTLOOP_INLINE double max(double a, float b) { return fmax(a, b); }

// The C library's functions would write its `signgam`, a variable of the host.
extern "C" {
double lgamma_r(double, int*);
float lgammaf_r(float, int*);
inline __device__ double lgamma(double x) { int sign; return lgamma_r(x, &sign); }
inline __device__ float lgammaf(float x) { int sign; return lgammaf_r(x, &sign); }
}

HOTLOOP_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
HOTLOOP_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
HOTLOOP_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
// Exact at whole and half numbers, as on a GPU. quarters: 1 for a cosine.
template <class T>
HOTLOOP_INLINE T hotloop_sinpi(T x, int quarters) {
  const T nearest = __builtin_rint(2 * x);
  const T rest = (nearest != 0 ? x - nearest / 2 : x) * static_cast<T>(3.14159265358979323846);
  const int quarter = (static_cast<int>(__builtin_fmod(nearest, T(4))) + quarters) & 3;
  const T size = quarter % 2 ? cos(rest) : sin(rest);
  return isfinite(x) ? quarter < 2 ? size : T(0) - size : x - x;
}
HOTLOOP_INLINE float sinpif(float x) { return hotloop_sinpi(x, 0); }
HOTLOOP_INLINE float cospif(float x) { return hotloop_sinpi(x, 1); }
HOTLOOP_INLINE double sinpi(double x) { return hotloop_sinpi(x, 0); }
HOTLOOP_INLINE double cospi(double x) { return hotloop_sinpi(x, 1); }
HOTLOOP_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
HOTLOOP_INLINE void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
HOTLOOP_INLINE float normcdff(float x) { return 0.5f * erfcf(-0.70710678118654752f * x); }
HOTLOOP_INLINE double normcdf(double x) { return 0.5 * erfc(-0.70710678118654752440 * x); }
HOTLOOP_INLINE float fdividef(float a, float b) { return a / b; }
HOTLOOP_INLINE float saturate(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

HOTLOOP_INLINE float __saturatef(float x) { return saturate(x); }
// The C library reserves these names, though not as functions, so they are macros.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __tanhf(x) tanhf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
HOTLOOP_INLINE float __fdividef(float a, float b) { return a / b; }

// Rounding to nearest, the CPU's only rounding mode here.
HOTLOOP_INLINE float __fadd_rn(float a, float b) { return a + b; }
HOTLOOP_INLINE float __fsub_rn(float a, float b) { return a - b; }
HOTLOOP_INLINE float __fmul_rn(float a, float b) { return a * b; }
HOTLOOP_INLINE float __fdiv_rn(float a, float b) { return a / b; }
HOTLOOP_INLINE float __frcp_rn(float a) { return 1.0f / a; }
HOTLOOP_INLINE float __fsqrt_rn(float a) { return sqrtf(a); }
HOTLOOP_INLINE float __frsqrt_rn(float a) { return rsqrtf(a); }
HOTLOOP_INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
HOTLOOP_INLINE double __dadd_rn(double a, double b) { return a + b; }
HOTLOOP_INLINE double __dsub_rn(double a, double b) { return a - b; }
HOTLOOP_INLINE double __dmul_rn(double a, double b) { return a * b; }
HOTLOOP_INLINE double __ddiv_rn(double a, double b) { return a / b; }
HOTLOOP_INLINE double __drcp_rn(double a) { return 1.0 / a; }
HOTLOOP_INLINE double __dsqrt_rn(double a) { return sqrt(a); }
HOTLOOP_INLINE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

HOTLOOP_INLINE int __float_as_int(float x) { int r; __builtin_memcpy(&r, &x, 4); return r; }
HOTLOOP_INLINE unsigned __float_as_uint(float x) { unsigned r; __builtin_memcpy(&r, &x, 4); return r; }
HOTLOOP_INLINE float __int_as_float(int x) { float r; __builtin_memcpy(&r, &x, 4); return r; }
HOTLOOP_INLINE float __uint_as_float(unsigned x) { float r; __builtin_memcpy(&r, &x, 4); return r; }
HOTLOOP_INLINE long long __double_as_longlong(double x) { long long r; __builtin_memcpy(&r, &x, 8); return r; }
HOTLOOP_INLINE double __longlong_as_double(long long x) { double r; __builtin_memcpy(&r, &x, 8); return r; }
HOTLOOP_INLINE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
HOTLOOP_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
HOTLOOP_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
#define HOTLOOP_TO_INTEGER(from, name, T)                                                            \
  HOTLOOP_INLINE T __##from##2##name##_rn(from x) { return static_cast<T>(__builtin_rint(x)); }      \
  HOTLOOP_INLINE T __##from##2##name##_rz(from x) { return static_cast<T>(x); }                      \
  HOTLOOP_INLINE T __##from##2##name##_rd(from x) { return static_cast<T>(__builtin_floor(x)); }     \
  HOTLOOP_INLINE T __##from##2##name##_ru(from x) { return static_cast<T>(__builtin_ceil(x)); }
#define HOTLOOP_INTEGER(name, T)                                                                     \
  HOTLOOP_TO_INTEGER(float, name, T)                                                                 \
  HOTLOOP_TO_INTEGER(double, name, T)                                                                \
  HOTLOOP_INLINE float __##name##2float_rn(T x) { return static_cast<float>(x); }                    \
  HOTLOOP_INLINE double __##name##2double_rn(T x) { return static_cast<double>(x); }
HOTLOOP_INTEGER(int, int)
HOTLOOP_INTEGER(uint, unsigned)
HOTLOOP_INTEGER(ll, long long)
HOTLOOP_INTEGER(ull, unsigned long long)
HOTLOOP_INLINE float __double2float_rn(double x) { return static_cast<float>(x); }

HOTLOOP_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
HOTLOOP_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HOTLOOP_INLINE int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
HOTLOOP_INLINE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
HOTLOOP_INLINE int __ffs(int x) { return __builtin_ffs(x); }
HOTLOOP_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
HOTLOOP_INLINE unsigned __brev(unsigned x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
HOTLOOP_INLINE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 | __brev(static_cast<unsigned>(x >> 32));
}
HOTLOOP_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i);
    const unsigned byte = both >> (8 * (pick & 7)) & 0xff;
    result |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * i);
  }
  return result;
}
HOTLOOP_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by ? high << by | low >> (32 - by) : high;
}
HOTLOOP_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by ? low >> by | high << (32 - by) : low;
}
HOTLOOP_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
HOTLOOP_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
HOTLOOP_INLINE int __mulhi(int a, int b) { return static_cast<int>(static_cast<int64_t>(a) * b >> 32); }
HOTLOOP_INLINE int64_t __mul64hi(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<__int128>(a) * b >> 64); }
HOTLOOP_INLINE uint64_t __umul64hi(uint64_t a, uint64_t b) { return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64); }
HOTLOOP_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
HOTLOOP_INLINE unsigned __sad(int a, int b, unsigned c) { return c + (a < b ? b - a : a - b); }
HOTLOOP_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }

// The dot product of four bytes, added to c.
#define HOTLOOP_DP4A(T, Byte)                                                                        \
  HOTLOOP_INLINE T __dp4a(T a, T b, T c) {                                                           \
    for (int i = 0; i < 32; i += 8) c += static_cast<Byte>(a >> i) * static_cast<Byte>(b >> i);      \
    return c;                                                                                        \
  }
HOTLOOP_DP4A(int, signed char)
HOTLOOP_DP4A(unsigned, unsigned char)
// Four bytes or two halves of a word, each by itself.
#define HOTLOOP_LANES(name, Lane, bits, expression)                                                  \
  HOTLOOP_INLINE unsigned name(unsigned a, unsigned b) {                                             \
    unsigned lanes = 0;                                                                              \
    for (int i = 0; i < 32; i += bits) {                                                             \
      const int x = static_cast<Lane>(a >> i), y = static_cast<Lane>(b >> i);                        \
      lanes |= (static_cast<unsigned>(expression) & ((1u << bits) - 1)) << i;                        \
    }                                                                                                \
    return lanes;                                                                                    \
  }
#define HOTLOOP_SIMD(count, bits, Signed, Unsigned, low, high)                                       \
  HOTLOOP_LANES(__vadd##count, Unsigned, bits, x + y)                                                \
  HOTLOOP_LANES(__vsub##count, Unsigned, bits, x - y)                                                \
  HOTLOOP_LANES(__vaddss##count, Signed, bits, x + y < low ? low : x + y > high ? high : x + y)      \
  HOTLOOP_LANES(__vsubss##count, Signed, bits, x - y < low ? low : x - y > high ? high : x - y)      \
  HOTLOOP_LANES(__vmaxs##count, Signed, bits, x < y ? y : x)                                         \
  HOTLOOP_LANES(__vmins##count, Signed, bits, y < x ? y : x)                                         \
  HOTLOOP_LANES(__vmaxu##count, Unsigned, bits, x < y ? y : x)                                       \
  HOTLOOP_LANES(__vminu##count, Unsigned, bits, y < x ? y : x)                                       \
  HOTLOOP_LANES(__vabsdiffu##count, Unsigned, bits, x < y ? y - x : x - y)                           \
  HOTLOOP_LANES(__vcmpeq##count, Unsigned, bits, x == y ? ~0u : 0u)                                  \
  HOTLOOP_LANES(__vcmpne##count, Unsigned, bits, x != y ? ~0u : 0u)
HOTLOOP_SIMD(4, 8, signed char, unsigned char, -128, 127)
HOTLOOP_SIMD(2, 16, short, unsigned short, -32768, 32767)
HOTLOOP_INLINE float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
HOTLOOP_INLINE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
HOTLOOP_INLINE float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
