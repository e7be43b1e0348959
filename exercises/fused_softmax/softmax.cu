// Three softmax kernels, each with a reason to replace the one before it.
//
// All of them compute y[r][c] = exp(x[r][c] - m) / sum over the row, with m the row's maximum, for a
// row-major float matrix. A row without a finite element becomes zeros. `rows` and `columns` are at
// least 1 and can be anything else. Run one with your own main(): hotloop cuda run, also with --check.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

// 5. One thread a row.  <<<(rows + 255) / 256, 256>>>
//
// The definition, written down. Every lane walks along a row of its own, so that the lanes of a warp
// read addresses that are a whole row apart: each 4 bytes that are asked for move 32.
__global__ void softmax_naive(const float* x, float* y, int rows, int columns) {
  // ### TASK fused_softmax.cuda_naive
  // One thread writes one row: its maximum, its sum, then its elements.
}

// 6. One block a row, and a reduction through shared memory.  <<<rows, 256>>>
//
// Neighboring threads read neighboring elements: nothing moves that was not asked for. The price is
// that 256 threads must agree on one maximum and one sum.
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) softmax_block(const float* x, float* y, int rows,
                                                          int columns) {
  // ### TASK fused_softmax.cuda_block
  // One block writes row blockIdx.x: partial results in shared memory, then a tree.
}

// 7. Maximum and sum together, in registers, four elements at a time.  <<<rows, 256>>>
//
// The online recurrence needs one pass for both, shuffles need no shared memory within a warp, a
// float4 is one load instead of four, and a row that stays in registers is read only once.
// ### TASK fused_softmax.cuda_warp helpers
// Helpers of softmax_warp go here.

__global__ void __launch_bounds__(kThreads) softmax_warp(const float* x, float* y, int rows,
                                                         int columns) {
  // ### TASK fused_softmax.cuda_warp
  // One block writes row blockIdx.x, and reads it once where it fits into registers.
}
