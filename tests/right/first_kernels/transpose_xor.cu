// A tile without padding whose columns are swapped by exclusive or, flat indices over its 1024 elements.
// ### BEGIN SOLUTION first_kernels.transpose
  __shared__ float tile[1024];
  const int r0 = blockIdx.x * 32;
  for (int c0 = 0; c0 < columns; c0 += 32) {
#pragma unroll
    for (int e = threadIdx.x; e < 1024; e += 256) {
      const int i = e >> 5, j = e & 31;
      if (c0 + i < columns && r0 + j < rows) tile[i * 32 + (j ^ i)] = x[(size_t)(c0 + i) * rows + r0 + j];
    }
    __syncthreads();
#pragma unroll
    for (int e = threadIdx.x; e < 1024; e += 256) {
      const int j = e >> 5, i = e & 31;
      if (r0 + j < rows && c0 + i < columns) y[(size_t)(r0 + j) * columns + c0 + i] = tile[i * 32 + (j ^ i)];
    }
    __syncthreads();
  }
// ### END SOLUTION
