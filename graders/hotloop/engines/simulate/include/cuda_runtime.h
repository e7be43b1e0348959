// CUDA C++ for the simulator: the header that nvcc includes implicitly.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <sys/types.h>  // uint, as in glibc's stdlib.h
#include <time.h>

#include "hotloop/device.h"
#include "hotloop/print.h"

// The C and C++ library for device code. A PyTorch operator's host code is native, with g++'s library: all of
// its headers are included here, as functions for both sides must not be overloaded for the host alone.
#pragma clang force_cuda_host_device begin
#ifndef __wasm__
#include <bits/exception.h>
#pragma clang force_cuda_host_device end
#include <new>
#pragma clang force_cuda_host_device begin
#include <bits/stdc++.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#ifdef __wasm__
#include <__algorithm/max.h>  // as with g++, whose <cmath> has them
#include <__algorithm/min.h>
#include <__new/placement_new_delete.h>
#endif

#include "hotloop/vectors.h"

HOTLOOP_COORDINATES(threadIdx, 0)
HOTLOOP_COORDINATES(blockIdx, 3)
HOTLOOP_COORDINATES(blockDim, 6)
HOTLOOP_COORDINATES(gridDim, 9)
constexpr int warpSize = 32;

#include "hotloop/math.h"
#include "hotloop/sync.h"
#include "hotloop/atomics.h"
#include "hotloop/textures.h"
#pragma clang force_cuda_host_device end

// What a virtual destructor mentions.
__device__ inline void operator delete(void*, size_t) noexcept {
  hotloop_failed("no `delete` in a kernel, since the simulator has no `new` there", "operator delete");
}

#include "hotloop/runtime.h"
#include "hotloop/arrays.h"
#include "hotloop/pools_and_peers.h"
#ifdef __wasm32__  // not where only kernels are read, with pointers of 64 bits
#include "hotloop/host_library.h"
#endif
