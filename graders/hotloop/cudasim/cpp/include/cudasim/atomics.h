// Atomic operations. Threads of a kernel run one at a time, so that the operations themselves are
// ordinary ones; what makes them atomic is that the runtime is told.
#pragma once

#include <cstring>

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

}  // namespace cudasim

#define CUDASIM_ATOMIC_FUNCTION(name, next)                                                       \
  template <class T>                                                                              \
  CUDASIM_INLINE T name(T* address, cudasim::same<T> operand) {                                   \
    return cudasim::update(address, [&](T old) { return next; });                                 \
  }                                                                                               \
  template <class T>                                                                              \
  CUDASIM_INLINE T name##_block(T* address, cudasim::same<T> operand) {                           \
    return cudasim::update(address, [&](T old) { return next; });                                 \
  }                                                                                               \
  template <class T>                                                                              \
  CUDASIM_INLINE T name##_system(T* address, cudasim::same<T> operand) {                          \
    return cudasim::update(address, [&](T old) { return next; });                                 \
  }

CUDASIM_ATOMIC_FUNCTION(atomicAdd, old + operand)
CUDASIM_ATOMIC_FUNCTION(atomicSub, old - operand)
CUDASIM_ATOMIC_FUNCTION(atomicExch, operand)
CUDASIM_ATOMIC_FUNCTION(atomicMin, operand < old ? operand : old)
CUDASIM_ATOMIC_FUNCTION(atomicMax, old < operand ? operand : old)
CUDASIM_ATOMIC_FUNCTION(atomicInc, old >= operand ? 0 : old + 1)
CUDASIM_ATOMIC_FUNCTION(atomicDec, old == 0 || old > operand ? operand : old - 1)
CUDASIM_ATOMIC_FUNCTION(atomicAnd, old & operand)
CUDASIM_ATOMIC_FUNCTION(atomicOr, old | operand)
CUDASIM_ATOMIC_FUNCTION(atomicXor, old ^ operand)
#undef CUDASIM_ATOMIC_FUNCTION

template <class T>
CUDASIM_INLINE T atomicCAS(T* address, cudasim::same<T> expected, cudasim::same<T> desired) {
  return cudasim::update(address, [&](T old) { return old == expected ? desired : old; });
}
template <class T>
CUDASIM_INLINE T atomicCAS_block(T* address, cudasim::same<T> expected,
                                 cudasim::same<T> desired) {
  return cudasim::update(address, [&](T old) { return old == expected ? desired : old; });
}
