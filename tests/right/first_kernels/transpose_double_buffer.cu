// Two tiles in turn: one barrier for each tile, and the next one's loads are in registers meanwhile.
// ### BEGIN SOLUTION first_kernels.transpose
  __shared__ float tile[2][32][33];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int row0 = blockIdx.x * 32;
  float held[4];
  auto fetch = [&](int first) {
    for (int k = 0; k < 4; ++k) {
      const int column = first + warp + 8 * k;
      held[k] = column < columns && row0 + lane < rows ? x[(size_t)column * rows + row0 + lane] : 0.0f;
    }
  };
  fetch(0);
  int which = 0;
  for (int first = 0; first < columns; first += 32, which ^= 1) {
    for (int k = 0; k < 4; ++k) tile[which][warp + 8 * k][lane] = held[k];
    __syncthreads();
    if (first + 32 < columns) fetch(first + 32);
    for (int k = 0; k < 4; ++k) {
      const int row = row0 + warp + 8 * k, column = first + lane;
      if (row < rows && column < columns) y[(size_t)row * columns + column] = tile[which][lane][warp + 8 * k];
    }
  }
// ### END SOLUTION
