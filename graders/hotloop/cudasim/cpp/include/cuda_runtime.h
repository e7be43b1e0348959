// CUDA C++ on a CPU: what nvcc includes by itself. See ../../README.md.
#pragma once

#include <cassert>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "cudasim/qualifiers.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"

#include "cuda_runtime_api.h"
#include "cudasim/abi.h"
#include "cudasim/atomics.h"
#include "cudasim/launch.h"
#include "cudasim/math.h"
#include "cudasim/memory.h"
#include "cudasim/sync.h"

constexpr int warpSize = 32;
