// Asynchronous copies from global to shared memory (cp.async), as CUDA's cuda_pipeline.h declares them.
#pragma once

#include "cuda_runtime.h"

#pragma clang force_cuda_host_device begin

// zfill: how many bytes at the end are set to zero and not read.
HOTLOOP_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zfill = 0) {
  hotloop_copy_later(to, from, static_cast<unsigned>(bytes), static_cast<unsigned>(bytes - zfill));
}
HOTLOOP_INLINE void __pipeline_commit() { hotloop_commit_copies(); }
HOTLOOP_INLINE void __pipeline_wait_prior(size_t newest) {
  hotloop_wait_for_copies(static_cast<unsigned>(newest));
}

#pragma clang force_cuda_host_device end
