// found: stack_overflow
// Calls without end.
__attribute__((noinline)) __device__ int f(int n, float* x) {
  volatile int m[64];
  m[n & 63] = n;
  return x[0] > 9 ? 0 : f(n + 1, x) + m[(n + 1) & 63];
}
__global__ void k(float* x) { x[0] = f(0, x); }
