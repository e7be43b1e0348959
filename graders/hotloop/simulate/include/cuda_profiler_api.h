// A profiler that there is not.
#pragma once

#include "cuda_runtime.h"

inline cudaError_t cudaProfilerStart() { return hotloop_state(); }
inline cudaError_t cudaProfilerStop() { return hotloop_state(); }
