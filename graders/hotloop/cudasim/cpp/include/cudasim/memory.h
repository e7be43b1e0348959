// Loads and stores with a cache hint, and conversions between address spaces.
#pragma once

#include "cudasim/abi.h"
#include "cudasim/qualifiers.h"

#define CUDASIM_LOAD(name)                                                                        \
  template <class T>                                                                              \
  CUDASIM_INLINE T name(const T* address) {                                                       \
    return *address;                                                                              \
  }
#define CUDASIM_STORE(name)                                                                       \
  template <class T>                                                                              \
  CUDASIM_INLINE void name(T* address, T value) {                                                 \
    *address = value;                                                                             \
  }
CUDASIM_LOAD(__ldg)
CUDASIM_LOAD(__ldca)
CUDASIM_LOAD(__ldcg)
CUDASIM_LOAD(__ldcs)
CUDASIM_LOAD(__ldcv)
CUDASIM_LOAD(__ldlu)
CUDASIM_STORE(__stwb)
CUDASIM_STORE(__stcg)
CUDASIM_STORE(__stcs)
CUDASIM_STORE(__stwt)
#undef CUDASIM_LOAD
#undef CUDASIM_STORE
