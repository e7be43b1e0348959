// Three kernels in CUDA C++: an elementwise one, a transpose and a stencil.
//
// All tensors are float32, row-major and without gaps; `rows` and `columns` are at least 1 and can be
// anything else. Run a kernel with your own main(): hotloop cuda run, also with --check.
#include <cuda_runtime.h>

// 2. y = gelu(x + bias), the bias of a column added to every row.  <<<rows, 256>>>
//
// gelu(v) = 0.5 · v · (1 + tanh(0.7978845608 · (v + 0.044715 · v³))), as PyTorch's approximate="tanh".
__global__ void bias_gelu(const float* x, const float* bias, float* y, int rows, int columns) {
  // ### BEGIN SOLUTION first_kernels.bias_gelu
  // ### STUB // One block a row. Which elements of the row are this thread's?
  const size_t start = static_cast<size_t>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = x[start + c] + bias[c];
    y[start + c] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
  // ### END SOLUTION
}

constexpr int kTile = 32;

// 4. y = the transpose of x.  x: [columns, rows], y: [rows, columns].  <<<(rows + 31) / 32, 256>>>
//
// A block writes 32 rows of y. Its 256 threads are 8 rows of 32: lane = threadIdx.x % 32.
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  // ### BEGIN SOLUTION first_kernels.transpose
  // ### STUB // Tile by tile: read rows of x, turn the tile in shared memory, write rows of y.
  // One column more than the tile: a column of it then lies in 32 different banks.
  __shared__ float tile[kTile][kTile + 1];
  const int lane = threadIdx.x % kTile, warp = threadIdx.x / kTile;
  const int warps = blockDim.x / kTile, first_row = blockIdx.x * kTile;
  for (int first_column = 0; first_column < columns; first_column += kTile) {
    for (int i = warp; i < kTile; i += warps) {
      const int column = first_column + i, row = first_row + lane;
      if (column < columns && row < rows) {
        tile[i][lane] = x[static_cast<size_t>(column) * rows + row];
      }
    }
    __syncthreads();
    for (int i = warp; i < kTile; i += warps) {
      const int row = first_row + i, column = first_column + lane;
      if (row < rows && column < columns) {
        y[static_cast<size_t>(row) * columns + column] = tile[lane][i];
      }
    }
    // The next tile goes to the same place: nobody may still be reading this one.
    __syncthreads();
  }
  // ### END SOLUTION
}

constexpr int kRadius = 3;

// 5. y[r][c] = the mean of x[r][c - 3] to x[r][c + 3]; beyond the row's ends x is 0.  <<<rows, 256>>>
__global__ void blur_rows(const float* x, float* y, int rows, int columns) {
  // ### BEGIN SOLUTION first_kernels.blur_rows
  // ### STUB // Load a piece of the row and its halo into shared memory once, then compute from there.
  __shared__ float piece[256 + 2 * kRadius];
  const size_t start = static_cast<size_t>(blockIdx.x) * columns;
  for (int first = 0; first < columns; first += blockDim.x) {
    // Local element i is the row's element first - kRadius + i.
    for (int i = threadIdx.x; i < blockDim.x + 2 * kRadius; i += blockDim.x) {
      const int c = first - kRadius + i;
      piece[i] = c >= 0 && c < columns ? x[start + c] : 0.0f;
    }
    __syncthreads();
    const int c = first + threadIdx.x;
    if (c < columns) {
      float sum = 0.0f;
      for (int k = 0; k < 2 * kRadius + 1; ++k) sum += piece[threadIdx.x + k];
      y[start + c] = sum / (2 * kRadius + 1);
    }
    __syncthreads();
  }
  // ### END SOLUTION
}
