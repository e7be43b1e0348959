// Barriers, warp votes, shuffles, matches and reductions, fences.
#pragma once

#include "hotloop/vectors.h"

HOTLOOP_INLINE void __syncthreads() { hotloop_wait(HOTLOOP_BARRIER, 0, 0, 0); }
HOTLOOP_INLINE int __syncthreads_count(int p) {
  return static_cast<int>(hotloop_wait(HOTLOOP_COUNT, 0, p != 0, 0));
}
HOTLOOP_INLINE int __syncthreads_and(int p) {
  return static_cast<int>(hotloop_wait(HOTLOOP_AND, 0, p != 0, 0));
}
HOTLOOP_INLINE int __syncthreads_or(int p) {
  return static_cast<int>(hotloop_wait(HOTLOOP_OR, 0, p != 0, 0));
}

HOTLOOP_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  hotloop_wait(HOTLOOP_SYNC, mask, 0, 0);
}
HOTLOOP_INLINE unsigned __activemask() {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_ACTIVE, 0, 0, 0));
}
HOTLOOP_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_BALLOT, mask, predicate != 0, 0));
}
HOTLOOP_INLINE int __any_sync(unsigned mask, int predicate) {
  return hotloop_wait(HOTLOOP_BALLOT, mask, predicate != 0, 1 << 8) != 0;
}
HOTLOOP_INLINE int __all_sync(unsigned mask, int predicate) {
  return hotloop_wait(HOTLOOP_BALLOT, mask, predicate == 0, 2 << 8) == 0;
}

namespace hotloop {

// Converts a value of up to 8 bytes to 64 bits, and back.
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

// Source lanes as PTX defines them for shfl: within segments of `width` lanes; if the source is outside
// the segment, the lane gets its own value.
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

}  // namespace hotloop

// kind: tells the four apart, as all lanes of a mask call the same one.
#define HOTLOOP_SHUFFLE_FUNCTION(name, kind, argument, source)                                        \
  template <class T>                                                                              \
  HOTLOOP_INLINE T name(unsigned mask, T value, argument, int width = 32) {         \
    return hotloop::from_bits<T>(hotloop_wait(                                                    \
        HOTLOOP_SHUFFLE, mask, hotloop::to_bits(value),                                           \
        (hotloop::source & 0xff) | (kind + (sizeof(T) > 4 ? 4u : 0u)) << 8));                     \
  }
HOTLOOP_SHUFFLE_FUNCTION(__shfl_sync, 0u, int from, shuffle_index(hotloop_index(12), from, width))
HOTLOOP_SHUFFLE_FUNCTION(__shfl_up_sync, 1u, unsigned by, shuffle_up(hotloop_index(12), by, width))
HOTLOOP_SHUFFLE_FUNCTION(__shfl_down_sync, 2u, unsigned by, shuffle_down(hotloop_index(12), by, width))
HOTLOOP_SHUFFLE_FUNCTION(__shfl_xor_sync, 3u, int by, shuffle_xor(hotloop_index(12), by, width))
#undef HOTLOOP_SHUFFLE_FUNCTION

template <class T>
HOTLOOP_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(
      hotloop_wait(HOTLOOP_MATCH_ANY, mask, hotloop::to_bits(value), 0));
}
template <class T>
HOTLOOP_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {
  *all_equal = hotloop_wait(HOTLOOP_MATCH_ALL, mask, hotloop::to_bits(value), 0) != 0;
  return *all_equal ? mask : 0;
}

HOTLOOP_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_ADD, mask, v, 0));
}
HOTLOOP_INLINE int __reduce_add_sync(unsigned mask, int v) {
  return static_cast<int>(hotloop_wait(HOTLOOP_ADD, mask, static_cast<unsigned>(v), 0));
}
HOTLOOP_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_MIN_U, mask, v, 0));
}
HOTLOOP_INLINE int __reduce_min_sync(unsigned mask, int v) {
  return static_cast<int>(hotloop_wait(HOTLOOP_MIN_S, mask, static_cast<unsigned>(v), 0));
}
HOTLOOP_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_MAX_U, mask, v, 0));
}
HOTLOOP_INLINE int __reduce_max_sync(unsigned mask, int v) {
  return static_cast<int>(hotloop_wait(HOTLOOP_MAX_S, mask, static_cast<unsigned>(v), 0));
}
HOTLOOP_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_BIT_AND, mask, v, 0));
}
HOTLOOP_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_BIT_OR, mask, v, 0));
}
HOTLOOP_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return static_cast<unsigned>(hotloop_wait(HOTLOOP_BIT_XOR, mask, v, 0));
}

HOTLOOP_INLINE void __threadfence() { hotloop_fence(0); }
HOTLOOP_INLINE void __threadfence_block() { hotloop_fence(1); }
HOTLOOP_INLINE void __threadfence_system() { hotloop_fence(0); }
HOTLOOP_INLINE void __nanosleep(unsigned) { hotloop_wait(HOTLOOP_YIELD, 0, 0, 0); }
HOTLOOP_INLINE void __trap() { hotloop_trap(); }
HOTLOOP_INLINE void __brkpt() {}
HOTLOOP_INLINE long long clock64() { return static_cast<long long>(hotloop_clock()); }
HOTLOOP_INLINE unsigned long long globaltimer() { return hotloop_clock(); }
HOTLOOP_INLINE bool __isShared(const void* p) { return hotloop_space(p) == 1; }
HOTLOOP_INLINE bool __isGlobal(const void* p) { return hotloop_space(p) == 2; }
HOTLOOP_INLINE bool __isConstant(const void* p) { return hotloop_space(p) == 3; }
HOTLOOP_INLINE bool __isLocal(const void* p) { return hotloop_space(p) == 0; }
HOTLOOP_INLINE size_t __cvta_generic_to_shared(const void* p) { return reinterpret_cast<size_t>(p); }
HOTLOOP_INLINE size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
HOTLOOP_INLINE void* __cvta_shared_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
HOTLOOP_INLINE void* __cvta_global_to_generic(size_t p) { return reinterpret_cast<void*>(p); }

// Loads and stores with a cache hint.
#define HOTLOOP_LOAD(name) \
  template <class T> HOTLOOP_INLINE T name(const T* address) { return *address; }
#define HOTLOOP_STORE(name) \
  template <class T> HOTLOOP_INLINE void name(T* address, T value) { *address = value; }
HOTLOOP_LOAD(__ldg)
HOTLOOP_LOAD(__ldca)
HOTLOOP_LOAD(__ldcg)
HOTLOOP_LOAD(__ldcs)
HOTLOOP_LOAD(__ldcv)
HOTLOOP_LOAD(__ldlu)
HOTLOOP_STORE(__stwb)
HOTLOOP_STORE(__stcg)
HOTLOOP_STORE(__stcs)
HOTLOOP_STORE(__stwt)
#undef HOTLOOP_LOAD
#undef HOTLOOP_STORE
