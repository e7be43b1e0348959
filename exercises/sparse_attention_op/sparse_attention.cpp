// Attention over lists of kept blocks on a CPU, in C++17, without any library: task 10.
//
// The same function can stand behind an operator of PyTorch, a custom operator of ONNX Runtime, and
// a plugin: none of their types is in its signature.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// q, k, v, out: [planes, length, depth], contiguous. counts: [planes, blocks]. columns: [planes,
// blocks, blocks], of which the first counts[plane][row] of each row mean something.
// ### TASK sparse_attention_op.cpu_kernel
extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  // for each plane and block of queries: walk along its list
}
