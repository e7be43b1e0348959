// The row's maximum by atomicMax of ordered bits, its sum by atomicAdd in shared memory, one addition a warp.
// ### BEGIN SOLUTION fused_softmax.cuda_block
  __shared__ unsigned highest;
  __shared__ float total;
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  // Bits of a float in the order of its values.
  auto ordered = [](float v) {
    const unsigned u = __float_as_uint(v);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
  };
  auto value = [](unsigned u) { return __uint_as_float(u & 0x80000000u ? u ^ 0x80000000u : ~u); };
  if (threadIdx.x == 0) {
    highest = ordered(-CUDART_INF_F);
    total = 0.0f;
  }
  __syncthreads();
  unsigned mine = ordered(-CUDART_INF_F);
  for (int c = threadIdx.x; c < columns; c += kThreads) mine = max(mine, ordered(in[c]));
  atomicMax(&highest, mine);
  __syncthreads();
  const float top = value(highest), shift = top == -CUDART_INF_F ? 0.0f : top;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += __expf(in[c] - shift);
  for (int mask = 16; mask; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, sum);
  __syncthreads();
  const float scale = total == 0.0f ? 0.0f : 1.0f / total;
  for (int c = threadIdx.x; c < columns; c += kThreads) out[c] = __expf(in[c] - shift) * scale;
// ### END SOLUTION
