// The online recurrence with a branch, a grid-stride loop over rows, expf.
// ### BEGIN SOLUTION fused_softmax.cuda_naive
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    const float* in = x + (size_t)row * columns;
    float* out = y + (size_t)row * columns;
    float maxval = -CUDART_INF_F;
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) {
      const float v = in[c];
      if (v > maxval) {
        sum = sum * expf(maxval - v) + 1.0f;
        maxval = v;
      } else if (v > -CUDART_INF_F) {
        sum += expf(v - maxval);
      }
    }
    const float norm = sum > 0.0f ? 1.0f / sum : 0.0f;
    const float ref = sum > 0.0f ? maxval : 0.0f;
    for (int c = 0; c < columns; c++) out[c] = expf(in[c] - ref) * norm;
  }
// ### END SOLUTION
