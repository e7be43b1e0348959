// Atomic operations. The simulator reads, computes and writes; a thread that repeats them may be waiting
// for another thread, so it lets that one run.
#pragma once

#include "hotloop/sync.h"

namespace hotloop {

template <class T> struct Same { using type = T; };
// Excludes the operand's type from deduction: atomicAdd(float*, int) adds a float.
template <class T> using same = typename Same<T>::type;

// CUDA supports each operation for a few types only.
template <class T, class... Types> constexpr bool is_one_of = (std::is_same<T, Types>::value || ...);
template <class T> constexpr bool is_word = is_one_of<T, int, unsigned, unsigned long long, long, unsigned long>;
template <class T> constexpr bool is_comparable = is_word<T> || is_one_of<T, long long>;
template <class T> constexpr bool is_float = is_one_of<T, float, double>;

template <class T>
inline HOTLOOP_MEMBER T update(unsigned op, T* address, T value, T expected = T()) {
  const uint64_t old = hotloop_atomic(op, const_cast<void*>(static_cast<const volatile void*>(address)), sizeof(T), to_bits(value), to_bits(expected));
  if (hotloop_spins()) hotloop_wait(HOTLOOP_YIELD, 0, 0, 0);
  return from_bits<T>(old);
}

template <class T> constexpr unsigned add_op = is_float<T> ? HOTLOOP_ADD_FLOAT : HOTLOOP_ADD_INT;
template <class T> constexpr unsigned min_op = T(-1) < T(0) ? HOTLOOP_MIN_SIGNED : HOTLOOP_MIN_UNSIGNED;
template <class T> constexpr unsigned max_op = T(-1) < T(0) ? HOTLOOP_MAX_SIGNED : HOTLOOP_MAX_UNSIGNED;

// Types that the simulator cannot add, such as __half: compare and swap until no other thread intervened.
template <class T>
inline HOTLOOP_MEMBER T add(unsigned scope, T* address, T value) {
  if constexpr (is_word<T> || is_float<T>) {
    return update(add_op<T> | scope, address, value);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>;
    Bits* place = reinterpret_cast<Bits*>(address);
    Bits old = from_bits<Bits>(hotloop_atomic(HOTLOOP_READ | scope, place, sizeof(Bits), 0, 0));
    for (;;) {
      const T sum = from_bits<T>(old) + value;
      const Bits seen = update<Bits>(HOTLOOP_CAS | scope, place, from_bits<Bits>(to_bits(sum)), old);
      if (seen == old) return from_bits<T>(old);
      old = seen;
    }
  }
}

}  // namespace hotloop

#define HOTLOOP_ATOMIC_SCOPE(name, scope_, allowed, what)                                         \
  template <class T>                                                                              \
  HOTLOOP_INLINE T name(T* address, hotloop::same<T> operand) {                                   \
    static_assert(allowed, "CUDA has no " #name " for this type");                                \
    constexpr unsigned scope = scope_;                                                            \
    return what;                                                                                  \
  }
#define HOTLOOP_ATOMIC(name, allowed, what)                                                       \
  HOTLOOP_ATOMIC_SCOPE(name, 0, allowed, what)                                                    \
  HOTLOOP_ATOMIC_SCOPE(name##_block, HOTLOOP_OF_BLOCK, allowed, what)                             \
  HOTLOOP_ATOMIC_SCOPE(name##_system, 0, allowed, what)
#define HOTLOOP_UPDATE(op) hotloop::update<T>(op | scope, address, operand)

HOTLOOP_ATOMIC(atomicAdd, (hotloop::is_word<T> || hotloop::is_float<T> || !std::is_arithmetic<T>::value), hotloop::add<T>(scope, address, operand))
HOTLOOP_ATOMIC(atomicSub, (hotloop::is_one_of<T, int, unsigned>), HOTLOOP_UPDATE(HOTLOOP_SUB_INT))
HOTLOOP_ATOMIC(atomicExch, (hotloop::is_word<T> || hotloop::is_one_of<T, float>), HOTLOOP_UPDATE(HOTLOOP_EXCHANGE))
HOTLOOP_ATOMIC(atomicMin, hotloop::is_comparable<T>, HOTLOOP_UPDATE(hotloop::min_op<T>))
HOTLOOP_ATOMIC(atomicMax, hotloop::is_comparable<T>, HOTLOOP_UPDATE(hotloop::max_op<T>))
HOTLOOP_ATOMIC(atomicInc, (hotloop::is_one_of<T, unsigned>), HOTLOOP_UPDATE(HOTLOOP_INC))
HOTLOOP_ATOMIC(atomicDec, (hotloop::is_one_of<T, unsigned>), HOTLOOP_UPDATE(HOTLOOP_DEC))
HOTLOOP_ATOMIC(atomicAnd, hotloop::is_word<T>, HOTLOOP_UPDATE(HOTLOOP_AND_BITS))
HOTLOOP_ATOMIC(atomicOr, hotloop::is_word<T>, HOTLOOP_UPDATE(HOTLOOP_OR_BITS))
HOTLOOP_ATOMIC(atomicXor, hotloop::is_word<T>, HOTLOOP_UPDATE(HOTLOOP_XOR_BITS))
#undef HOTLOOP_UPDATE
#undef HOTLOOP_ATOMIC
#undef HOTLOOP_ATOMIC_SCOPE

#define HOTLOOP_COMPARE_AND_SWAP(name, scope)                                                     \
  template <class T>                                                                              \
  HOTLOOP_INLINE T name(T* address, hotloop::same<T> expected, hotloop::same<T> desired) {        \
    static_assert(hotloop::is_word<T> || hotloop::is_one_of<T, unsigned short>,                   \
                  "CUDA has no " #name " for this type");                                         \
    return hotloop::update<T>(HOTLOOP_CAS | scope, address, desired, expected);                   \
  }
HOTLOOP_COMPARE_AND_SWAP(atomicCAS, 0)
HOTLOOP_COMPARE_AND_SWAP(atomicCAS_block, HOTLOOP_OF_BLOCK)
HOTLOOP_COMPARE_AND_SWAP(atomicCAS_system, 0)
#undef HOTLOOP_COMPARE_AND_SWAP
