// Atomic operations. Threads of a kernel run one at a time, so that the operations themselves are
// ordinary ones; what makes them atomic is that the runtime is told.
#pragma once

#include <cstring>
#include <type_traits>

#include "cudasim/abi.h"
#include "cudasim/qualifiers.h"

namespace cudasim {

// These copies are the compiler's own, not an access that an instrumented program reports.
template <class T>
__attribute__((noinline, no_sanitize("thread"))) T load_quietly(const T* address) {
  T value;
  __builtin_memcpy(&value, address, sizeof(T));
  return value;
}

template <class T>
__attribute__((noinline, no_sanitize("thread"))) void store_quietly(T* address, T value) {
  __builtin_memcpy(address, &value, sizeof(T));
}

template <class T, class F>
inline __attribute__((always_inline)) T update(T* address, F next) {
  cudasim_note(address, sizeof(T), CUDASIM_ATOMIC);
  const T old = load_quietly(address);
  store_quietly(address, static_cast<T>(next(old)));
  return old;
}

// Keeps the operand's type out of deduction: atomicAdd(float*, int) adds a float.
template <class T>
struct Same {
  using type = T;
};
template <class T>
using same = typename Same<T>::type;

// CUDA has each operation for a few types only.
template <class T, class... Types>
constexpr bool is_one_of = (std::is_same<T, Types>::value || ...);
template <class T>
constexpr bool is_word = is_one_of<T, int, unsigned, unsigned long long>;
template <class T>
constexpr bool is_addable =
    is_word<T> || is_one_of<T, float, double> || !std::is_arithmetic<T>::value;  // halves
template <class T>
constexpr bool is_comparable = is_word<T> || is_one_of<T, long long>;

}  // namespace cudasim

#define CUDASIM_ATOMIC_SCOPE(name, allowed, next)                                                 \
  template <class T>                                                                              \
  CUDASIM_INLINE T name(T* address, cudasim::same<T> operand) {                                   \
    static_assert(allowed, "CUDA has no " #name " for this type");                                \
    return cudasim::update(address, [&](T old) { return next; });                                 \
  }
#define CUDASIM_ATOMIC_FUNCTION(name, allowed, next)                                              \
  CUDASIM_ATOMIC_SCOPE(name, allowed, next)                                                       \
  CUDASIM_ATOMIC_SCOPE(name##_block, allowed, next)                                               \
  CUDASIM_ATOMIC_SCOPE(name##_system, allowed, next)

CUDASIM_ATOMIC_FUNCTION(atomicAdd, cudasim::is_addable<T>, old + operand)
CUDASIM_ATOMIC_FUNCTION(atomicSub, (cudasim::is_one_of<T, int, unsigned>), old - operand)
CUDASIM_ATOMIC_FUNCTION(atomicExch, (cudasim::is_word<T> || cudasim::is_one_of<T, float>), operand)
CUDASIM_ATOMIC_FUNCTION(atomicMin, cudasim::is_comparable<T>, operand < old ? operand : old)
CUDASIM_ATOMIC_FUNCTION(atomicMax, cudasim::is_comparable<T>, old < operand ? operand : old)
CUDASIM_ATOMIC_FUNCTION(atomicInc, (cudasim::is_one_of<T, unsigned>), old >= operand ? 0 : old + 1)
CUDASIM_ATOMIC_FUNCTION(atomicDec, (cudasim::is_one_of<T, unsigned>),
                        old == 0 || old > operand ? operand : old - 1)
CUDASIM_ATOMIC_FUNCTION(atomicAnd, cudasim::is_word<T>, old & operand)
CUDASIM_ATOMIC_FUNCTION(atomicOr, cudasim::is_word<T>, old | operand)
CUDASIM_ATOMIC_FUNCTION(atomicXor, cudasim::is_word<T>, old ^ operand)
#undef CUDASIM_ATOMIC_FUNCTION
#undef CUDASIM_ATOMIC_SCOPE

#define CUDASIM_COMPARE_AND_SWAP(name)                                                            \
  template <class T>                                                                              \
  CUDASIM_INLINE T name(T* address, cudasim::same<T> expected, cudasim::same<T> desired) {        \
    static_assert(cudasim::is_word<T> || cudasim::is_one_of<T, unsigned short>,                   \
                  "CUDA has no " #name " for this type");                                         \
    return cudasim::update(address, [&](T old) { return old == expected ? desired : old; });      \
  }
CUDASIM_COMPARE_AND_SWAP(atomicCAS)
CUDASIM_COMPARE_AND_SWAP(atomicCAS_block)
CUDASIM_COMPARE_AND_SWAP(atomicCAS_system)
#undef CUDASIM_COMPARE_AND_SWAP
