// What the plugin calls: gate, lists and attention on a stream. Given.
//
// Behind it stands a launch of the CUDA kernels where there is a GPU. Where there is none, a function
// that computes the same on the host stands in for it, so that a plugin can be tried.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"

struct AttentionCall {
  void const* q;
  void const* k;
  void const* v;
  float const* threshold;  // one for each head
  void* out;
  void* workspace;  // attention_workspace(...) bytes, for the lists of kept blocks
  int64_t batch;
  int64_t heads;
  int64_t length;
  int64_t depth;
  int64_t block;
  bool causal;
  bool half;  // q, k, v and out are float16; otherwise float32
};

// Bytes of the lists of one call.
inline size_t attention_workspace(int64_t batch, int64_t heads, int64_t length, int64_t block) {
  int64_t const blocks = (length + block - 1) / block;
  return static_cast<size_t>(batch * heads * blocks * (blocks + 1)) * sizeof(int32_t);
}

// 0 when the work is in the stream. It waits for nothing.
int32_t launch_attention(AttentionCall const& call, cudaStream_t stream);
