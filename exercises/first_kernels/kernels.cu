// Three kernels in CUDA C++: an elementwise one, a transpose and a stencil.
//
// All tensors are float32, row-major and without gaps; `rows` and `columns` are at least 1 and can be
// anything else. Run a kernel with your own main(): hotloop cuda run, also with --check.
#include <cuda_runtime.h>

// 2. y = gelu(x + bias), the bias of a column added to every row.  <<<rows, 256>>>
//
// gelu(v) = 0.5 · v · (1 + tanh(0.7978845608 · (v + 0.044715 · v³))), as PyTorch's approximate="tanh".
__global__ void bias_gelu(const float* x, const float* bias, float* y, int rows, int columns) {
  // ### TASK first_kernels.bias_gelu
  // One block a row. Which elements of the row are this thread's?
}

constexpr int kTile = 32;

// 4. y = the transpose of x.  x: [columns, rows], y: [rows, columns].  <<<(rows + 31) / 32, 256>>>
//
// A block writes 32 rows of y. Its 256 threads are 8 rows of 32: lane = threadIdx.x % 32.
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  // ### TASK first_kernels.transpose
  // Tile by tile: read rows of x, turn the tile in shared memory, write rows of y.
}

constexpr int kRadius = 3;

// 5. y[r][c] = the mean of x[r][c - 3] to x[r][c + 3]; beyond the row's ends x is 0.  <<<rows, 256>>>
__global__ void blur_rows(const float* x, float* y, int rows, int columns) {
  // ### TASK first_kernels.blur_rows
  // Load a piece of the row and its halo into shared memory once, then compute from there.
}
