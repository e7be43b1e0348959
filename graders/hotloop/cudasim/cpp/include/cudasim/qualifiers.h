// Qualifiers that mean the same to g++ under another name. `__global__`, `__shared__` and the other
// ones that CUDA adds are translated in the source before a compiler sees them.
#pragma once

#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))

// Inlined everywhere, so that the simulator sees the caller's own line behind each call into it.
#define CUDASIM_INLINE static inline __attribute__((always_inline))
