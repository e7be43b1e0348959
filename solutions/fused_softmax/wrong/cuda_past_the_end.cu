/*
Reads one element past the end of the row, and past the end of the tensor in the last one.

fails: cuda_block.correct
*/

  // ### BEGIN SOLUTION fused_softmax.cuda_block
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;

  float maximum = -CUDART_INF_F;
  for (int c = t; c <= columns; c += kThreads) maximum = fmaxf(maximum, in[c]);
  partial[t] = maximum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] = fmaxf(partial[t], partial[t + half]);
  }
  __syncthreads();
  maximum = partial[0];
  // Nobody may write its sum into partial[0] while another one still reads the maximum there.
  __syncthreads();

  const float shift = maximum == -CUDART_INF_F ? 0.0f : maximum;
  float sum = 0.0f;
  for (int c = t; c < columns; c += kThreads) sum += __expf(in[c] - shift);
  partial[t] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  __syncthreads();
  const float scale = partial[0] == 0.0f ? 0.0f : 1.0f / partial[0];
  for (int c = t; c < columns; c += kThreads) out[c] = __expf(in[c] - shift) * scale;
  // ### END SOLUTION
