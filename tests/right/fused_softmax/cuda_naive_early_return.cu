// As the definition says it, with a return of its own for a row of -inf.
// ### BEGIN SOLUTION fused_softmax.cuda_naive
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * columns;
  float* o = y + static_cast<size_t>(row) * columns;
  float m = -CUDART_INF_F;
  for (int c = 0; c < columns; ++c) m = fmaxf(m, in[c]);
  if (m == -CUDART_INF_F) {
    for (int c = 0; c < columns; ++c) o[c] = 0.0f;
    return;
  }
  float s = 0.0f;
  for (int c = 0; c < columns; ++c) s += expf(in[c] - m);
  const float k = 1.0f / s;
  for (int c = 0; c < columns; ++c) o[c] = k * expf(in[c] - m);
// ### END SOLUTION
