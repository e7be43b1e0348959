// CUDA C++ for the simulator: what nvcc includes by itself.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <sys/types.h>  // uint, as glibc's stdlib.h brings it
#include <time.h>

#include "hotloop/device.h"
#include "hotloop/print.h"

// What device code may call of the C and C++ library. The host's code of a PyTorch operator is native, with
// g++'s library: all of it or nothing, since what is for both must not be overloaded for the host alone.
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

#include "hotloop/runtime.h"
#include "hotloop/arrays.h"
#include "hotloop/pools_and_peers.h"
#ifdef __wasm__
#include "hotloop/host_library.h"
#endif
