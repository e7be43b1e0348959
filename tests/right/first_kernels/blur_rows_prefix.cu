// The halo by the first six threads, dynamic index clamped, __launch bounds by the block's size, division as a product.
// ### BEGIN SOLUTION first_kernels.blur_rows
  constexpr int kPiece = 1024;
  __shared__ float s[kPiece + 2 * kRadius];
  const size_t start = (size_t)blockIdx.x * columns;
  for (int first = 0; first < columns; first += kPiece) {
    auto value = [&](int c) { return c < 0 || c >= columns ? 0.0f : x[start + c]; };
    for (int k = 0; k < kPiece / 256; ++k) s[kRadius + k * 256 + threadIdx.x] = value(first + k * 256 + threadIdx.x);
    if (threadIdx.x < kRadius) {
      s[threadIdx.x] = value(first - kRadius + (int)threadIdx.x);
    } else if (threadIdx.x < 2 * kRadius) {
      s[kPiece + threadIdx.x] = value(first + kPiece - kRadius + (int)threadIdx.x);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < kPiece && first + k < columns; k += 256) {
      const float* w = s + k;
      y[start + first + k] = (w[0] + w[1] + w[2] + w[3] + w[4] + w[5] + w[6]) * (1.0f / 7.0f);
    }
    __syncthreads();
  }
// ### END SOLUTION
