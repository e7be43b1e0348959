// 48 values alive at once, and room for 32 registers a thread: the launch bounds ask for two
// blocks of 1024 threads on a multiprocessor.
__global__ void __launch_bounds__(1024, 2) spills(const float* in, float* out, int n) {
  float held[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) held[i] = in[i * n + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 48; ++i) sum += held[i] * held[(i * 37 + 11) % 48];
  out[threadIdx.x] = sum;
}

// An array that is indexed by a variable cannot be held in registers.
__global__ void indexed(const float* in, float* out, int n) {
  float held[60];
  for (int i = 0; i < n; ++i) held[i % 60] = in[i];
  out[threadIdx.x] = held[threadIdx.x % 60];
}
