// The profiler's functions, which do nothing.
#pragma once

#include "cuda_runtime.h"

inline cudaError_t cudaProfilerStart() { return hotloop_state(); }
inline cudaError_t cudaProfilerStop() { return hotloop_state(); }
