// llm.c: a warp reduces by shuffles, the first thread joins the warps' results in shared memory.
// ### BEGIN SOLUTION fused_softmax.cuda_block
  __shared__ float maxvals[kThreads / 32], sumvals[kThreads / 32];
  const int row = blockIdx.x, tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const float* in = x + (size_t)row * columns;
  float* out = y + (size_t)row * columns;
  float maxval = -CUDART_INF_F;
  for (int i = tid; i < columns; i += kThreads) maxval = fmaxf(maxval, in[i]);
  for (int offset = 16; offset > 0; offset /= 2) maxval = fmaxf(maxval, __shfl_down_sync(0xFFFFFFFF, maxval, offset));
  if (lane == 0) maxvals[warp] = maxval;
  __syncthreads();
  if (tid == 0) {
    float v = maxvals[0];
    for (int i = 1; i < kThreads / 32; i++) v = fmaxf(v, maxvals[i]);
    maxvals[0] = v == -CUDART_INF_F ? 0.0f : v;
  }
  __syncthreads();
  const float offset = maxvals[0];
  float sum = 0.0f;
  for (int i = tid; i < columns; i += kThreads) sum += expf(in[i] - offset);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, o);
  if (lane == 0) sumvals[warp] = sum;
  __syncthreads();
  if (tid == 0) {
    float v = sumvals[0];
    for (int i = 1; i < kThreads / 32; i++) v += sumvals[i];
    sumvals[0] = v;
  }
  __syncthreads();
  const float total = sumvals[0];
  for (int i = tid; i < columns; i += kThreads) out[i] = total > 0.0f ? expf(in[i] - offset) / total : 0.0f;
// ### END SOLUTION
