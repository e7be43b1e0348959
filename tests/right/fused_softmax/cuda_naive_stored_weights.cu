// Exponentials are stored, summed in double, and divided in place; pointers walk.
// ### BEGIN SOLUTION fused_softmax.cuda_naive
  const unsigned row = threadIdx.x + blockIdx.x * blockDim.x;
  if (row < static_cast<unsigned>(rows)) {
    const float* in = x + static_cast<size_t>(row) * columns;
    float* out = y + static_cast<size_t>(row) * columns;
    float top = in[0];
    for (const float* p = in + 1; p < in + columns; ++p) top = max(top, *p);
    if (isinf(top)) top = 0.0f;
    double sum = 0.0;
    for (int c = 0; c < columns; ++c) sum += out[c] = exp2f((in[c] - top) * 1.44269504f);
    const float total = static_cast<float>(sum);
    for (float* p = out; p < out + columns; ++p) *p = total == 0.0f ? 0.0f : __fdividef(*p, total);
  }
// ### END SOLUTION
