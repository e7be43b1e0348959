// Barriers, warp votes, shuffles, matches and reductions, fences.
#pragma once

#include <cstring>
#include <type_traits>

#include "cudasim/abi.h"
#include "cudasim/qualifiers.h"

// Where a barrier or a warp operation was called from, which its caller need not say.
#define CUDASIM_LINE int line = __builtin_LINE()
#define CUDASIM_HERE const char *file = __builtin_FILE(), CUDASIM_LINE

CUDASIM_INLINE void __syncthreads(CUDASIM_HERE) { cudasim_barrier(file, line); }
CUDASIM_INLINE int __syncthreads_count(int p, CUDASIM_HERE) {
  return cudasim_barrier_vote(CUDASIM_COUNT, p, file, line);
}
CUDASIM_INLINE int __syncthreads_and(int p, CUDASIM_HERE) {
  return cudasim_barrier_vote(CUDASIM_AND, p, file, line);
}
CUDASIM_INLINE int __syncthreads_or(int p, CUDASIM_HERE) {
  return cudasim_barrier_vote(CUDASIM_OR, p, file, line);
}

CUDASIM_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  cudasim_warp(CUDASIM_SYNC, mask, 0, 0, 0);
}
CUDASIM_INLINE unsigned __activemask(CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_ACTIVE, 0, 0, 0, line));
}
CUDASIM_INLINE unsigned __ballot_sync(unsigned mask, int predicate, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_BALLOT, mask, predicate != 0, 0, line));
}
CUDASIM_INLINE int __any_sync(unsigned mask, int predicate, CUDASIM_LINE) {
  return cudasim_warp(CUDASIM_BALLOT, mask, predicate != 0, 0, line) != 0;
}
CUDASIM_INLINE int __all_sync(unsigned mask, int predicate, CUDASIM_LINE) {
  return cudasim_warp(CUDASIM_BALLOT, mask, predicate == 0, 0, line) == 0;
}

namespace cudasim {

// A value of up to 8 bytes as 64 bits, and back.
template <class T>
inline __attribute__((always_inline)) uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
inline __attribute__((always_inline)) T from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// Source lanes as PTX defines them for shfl: within segments of `width` lanes, a source outside
// of the segment leaves the lane its own value.
inline unsigned shuffle_index(unsigned lane, int source, int width) {
  const unsigned w = width;
  return (lane & ~(w - 1)) | (source & (w - 1));
}
inline unsigned shuffle_up(unsigned lane, unsigned delta, int width) {
  const unsigned first = lane & ~(static_cast<unsigned>(width) - 1);
  return lane >= first + delta ? lane - delta : lane;
}
inline unsigned shuffle_down(unsigned lane, unsigned delta, int width) {
  const unsigned last = lane | (static_cast<unsigned>(width) - 1);
  return lane + delta <= last ? lane + delta : lane;
}
inline unsigned shuffle_xor(unsigned lane, int lane_mask, int width) {
  const unsigned last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  return source <= last ? source : lane;
}

}  // namespace cudasim

#define CUDASIM_SHUFFLE_FUNCTION(name, argument, source)                                          \
  template <class T>                                                                              \
  CUDASIM_INLINE T name(unsigned mask, T value, argument, int width = 32, CUDASIM_LINE) {         \
    return cudasim::from_bits<T>(cudasim_warp(                                                    \
        CUDASIM_SHUFFLE, mask, cudasim::to_bits(value), cudasim::source, line));                  \
  }
CUDASIM_SHUFFLE_FUNCTION(__shfl_sync, int from, shuffle_index(cudasim_lane(), from, width))
CUDASIM_SHUFFLE_FUNCTION(__shfl_up_sync, unsigned by, shuffle_up(cudasim_lane(), by, width))
CUDASIM_SHUFFLE_FUNCTION(__shfl_down_sync, unsigned by, shuffle_down(cudasim_lane(), by, width))
CUDASIM_SHUFFLE_FUNCTION(__shfl_xor_sync, int by, shuffle_xor(cudasim_lane(), by, width))
#undef CUDASIM_SHUFFLE_FUNCTION

template <class T>
CUDASIM_INLINE unsigned __match_any_sync(unsigned mask, T value, CUDASIM_LINE) {
  return static_cast<unsigned>(
      cudasim_warp(CUDASIM_MATCH_ANY, mask, cudasim::to_bits(value), 0, line));
}
template <class T>
CUDASIM_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal, CUDASIM_LINE) {
  *all_equal = cudasim_warp(CUDASIM_MATCH_ALL, mask, cudasim::to_bits(value), 0, line) != 0;
  return *all_equal ? mask : 0;
}

CUDASIM_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_ADD_U32, mask, v, 0, line));
}
CUDASIM_INLINE int __reduce_add_sync(unsigned mask, int v, CUDASIM_LINE) {
  return static_cast<int>(cudasim_warp(CUDASIM_ADD_U32, mask, static_cast<unsigned>(v), 0, line));
}
CUDASIM_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_MIN_U32, mask, v, 0, line));
}
CUDASIM_INLINE int __reduce_min_sync(unsigned mask, int v, CUDASIM_LINE) {
  return static_cast<int>(cudasim_warp(CUDASIM_MIN_S32, mask, static_cast<unsigned>(v), 0, line));
}
CUDASIM_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_MAX_U32, mask, v, 0, line));
}
CUDASIM_INLINE int __reduce_max_sync(unsigned mask, int v, CUDASIM_LINE) {
  return static_cast<int>(cudasim_warp(CUDASIM_MAX_S32, mask, static_cast<unsigned>(v), 0, line));
}
CUDASIM_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_BIT_AND, mask, v, 0, line));
}
CUDASIM_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_BIT_OR, mask, v, 0, line));
}
CUDASIM_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned v, CUDASIM_LINE) {
  return static_cast<unsigned>(cudasim_warp(CUDASIM_BIT_XOR, mask, v, 0, line));
}

CUDASIM_INLINE void __threadfence() { cudasim_fence(); }
CUDASIM_INLINE void __threadfence_block() { cudasim_fence(); }
CUDASIM_INLINE void __threadfence_system() { cudasim_fence(); }
CUDASIM_INLINE void __nanosleep(unsigned) { cudasim_yield(); }
CUDASIM_INLINE void __trap() { cudasim_trap(); }
CUDASIM_INLINE void __brkpt() {}
CUDASIM_INLINE long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return 0;
#endif
}
