// Softmax of each row of a matrix, for rows of any length: see softmax_best.cu.
#pragma once

#include <cstddef>

// How a row is computed. `softmax_automatic` chooses by the row's length, by the number of rows and
// by what the GPU has; the others are there to be compared and tested.
enum SoftmaxPlan {
  softmax_automatic = 0,
  softmax_kept = 1,    // in the registers of a warp or a block: up to 32768 elements
  softmax_cached = 2,  // in the shared memory of a block: up to what the GPU allows
  softmax_split = 3,   // by several blocks a row, in two kernels; the row is read twice
};

// y = softmax of each row of x; zeros for a row without a finite element. Strides are in elements;
// within a row elements lie side by side. x may be y. Work is put into `stream` (a cudaStream_t).
// workspace: device memory of softmax_best_workspace bytes. Returns a cudaError_t.
extern "C" {
int softmax_best_float(const float* x, float* y, long long rows, long long columns,
                       long long x_stride, long long y_stride, void* workspace, int plan,
                       void* stream);
int softmax_best_bfloat16(const void* x, void* y, long long rows, long long columns,
                          long long x_stride, long long y_stride, void* workspace, int plan,
                          void* stream);
size_t softmax_best_workspace(long long rows, long long columns, size_t element_bytes);
}
