/*
Adds up in half precision: from 2048 on, adding 1 changes nothing.

fails: cuda_naive.correct
*/

  // ### BEGIN SOLUTION fused_softmax.cuda_naive
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * columns;
  float* out = y + static_cast<size_t>(row) * columns;

  float maximum = -CUDART_INF_F;
  for (int c = 0; c < columns; ++c) maximum = fmaxf(maximum, in[c]);
  // In a row of -inf only, -inf - (-inf) would be NaN. Subtract 0 there: every exponential is 0.
  const float shift = maximum == -CUDART_INF_F ? 0.0f : maximum;
  __half sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += __half(__expf(in[c] - shift));
  const float scale = float(sum) == 0.0f ? 0.0f : 1.0f / float(sum);
  for (int c = 0; c < columns; ++c) out[c] = __expf(in[c] - shift) * scale;
  // ### END SOLUTION
