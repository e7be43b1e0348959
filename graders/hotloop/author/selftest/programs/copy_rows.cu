// Copies the rows of x to y, one block a row.
__global__ void copy_rows(const float* x, float* y, int columns) {
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    y[blockIdx.x * columns + column] = x[blockIdx.x * columns + column];
  }
}
