// Qualifiers that mean nothing on a CPU. What means something (`__shared__`, `<<<…>>>`, symbols,
// launch bounds) is translated in the source before a compiler sees it.
#pragma once

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __managed__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))

// Inlined everywhere, so that the simulator sees the caller's own line behind each call into it.
#define CUDASIM_INLINE static inline __attribute__((always_inline))
